/// Why a set-up step cannot be done.
package struct SetupError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    package init(_ description: String) { self.description = description }
}
