/// Why a NATS server cannot be used, or has not done what it was asked.
package struct NatsError: Error, CustomStringConvertible {
    /// What is wrong.
    package let description: String

    /// An error that says so.
    package init(_ description: String) { self.description = description }
}
