extension ThrowingTaskGroup where ChildTaskResult == Void, Failure == any Error {
    /// Waits for all tasks, but throws the first error at once, with which a group cancels the others; `waitForAll` waits for them
    /// before it throws.
    mutating func waitForAllOrFirstError() async throws {
        while try await next() != nil {}
    }
}
