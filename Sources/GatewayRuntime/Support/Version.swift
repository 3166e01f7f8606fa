/// The version of the program: of `--version`, status messages and packages. CHANGELOG.md begins with it.
package enum GatewayVersion {
    /// This build's.
    package static let current = "0.1.0"
}
