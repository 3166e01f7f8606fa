import Synchronization

/// Why a NATS server cannot be used, or has not done what it was asked.
package struct NatsError: Error, CustomStringConvertible {
    /// What is wrong.
    package let description: String

    /// The longest text of a server that is kept, in scalars.
    private static let longest = 400

    /// An error that says so. Servers choose the text: of a long one only the beginning is kept.
    package init(_ description: String) { self.description = String(description.unicodeScalars.prefix(Self.longest)) }
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
