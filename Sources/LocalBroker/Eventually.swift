/// A condition that did not come true in time.
package struct NeverHappened: Error, CustomStringConvertible {
    /// The condition that was waited for.
    package let description: String

    /// Creates one for `description`.
    package init(description: String) {
        self.description = description
    }
}

/// Waits until `condition` holds, looking every 5 ms; throws `NeverHappened` after `limit`.
package func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "never happened: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
