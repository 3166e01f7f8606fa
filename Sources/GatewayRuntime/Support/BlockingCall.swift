import Mosquitto

/// Calls that block, for asynchronous code.
enum BlockingCall {
    /// Runs `body` on a thread of its own, so that it holds up no task.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try NamedThread.start(name: "blocking") { continuation.resume(with: Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
