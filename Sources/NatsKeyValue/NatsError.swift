import Synchronization

/// Why a NATS server cannot be used, or has not done what it was asked.
package struct NatsError: Error, CustomStringConvertible {
    /// The most that is repeated of a server's own words.
    static let mostCharacters = 200

    /// What is wrong.
    package let description: String

    /// An error that says so.
    package init(_ description: String) { self.description = description }
}

/// Ends the calls that wait for a server.
final class Interruption: Sendable {
    static let error = NatsError("the key-value store is not waited for any longer, as the gateway stops")
    private let flag = Atomic(false)

    /// Whether calls end.
    var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Ends them, those that are made later too.
    func set() { flag.store(true, ordering: .releasing) }
}
