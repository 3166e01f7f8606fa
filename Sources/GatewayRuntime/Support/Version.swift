extension Gateway {
    /// The version of the program: of `--version`, status messages and packages. CHANGELOG.md begins with it.
    package static let version = "0.1.0"
}
