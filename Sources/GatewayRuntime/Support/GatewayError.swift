import Glibc

/// Why a gateway cannot be composed.
package struct GatewayError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    /// An error with its advice.
    package init(_ description: String) { self.description = description }
}

extension GatewayError {
    /// What the system says about `subject`, by the last error number.
    package static func system(_ subject: String) -> GatewayError {
        GatewayError("\(subject): \(String(cString: strerror(errno)))")
    }
}
