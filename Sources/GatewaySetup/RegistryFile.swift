/// A registry file and what it says.
package struct RegistryFile: Sendable {
    package let path: String
    package let text: RegistryText

    /// Reads a file; throws with every problem of it.
    package init(_ path: String) throws(SetupError) {
        self.path = path
        text = try RegistryText(try Files.read(path), name: path)
    }

    /// Replaces the file in one step by what `edit` makes of it.
    package func change(_ edit: (RegistryText) throws(SetupError) -> String) throws(SetupError) {
        try Files.replace(path, with: try edit(text))
    }
}
