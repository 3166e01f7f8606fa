/// A problem of a configuration or a registry.
package struct ConfigurationProblem: Error, Sendable, Equatable {
    /// Where a value came from.
    package enum Source: Sendable, Equatable {
        /// The default.
        case defaults
        /// A file, by its path.
        case file(String)
        /// An environment variable, by its name.
        case environment(String)
        /// The command line.
        case override
    }

    /// The path of the key, such as `derive.depth.staleSeconds` or `devices.ultra-1.wrist`; empty for the whole file.
    package let keyPath: String
    /// The line in the file, from 1; nil elsewhere or where it is not known.
    package let line: Int?
    /// Where the value came from.
    package let source: Source
    /// What is wrong, as the rest of a sentence that starts with the key. Never holds a secret.
    package let message: String
    /// Whether it prevents only connections to the broker: a password, certificate or key that cannot be read.
    package let concernsConnectionsOnly: Bool
    /// Whether it is a file that this user cannot read, or whose folder is not there: another user, or another machine, may have it.
    package let dependsOnUser: Bool

    /// Makes a problem of one key; an empty path is the whole file.
    package init(
        _ keyPath: String, line: Int? = nil, source: Source, concernsConnectionsOnly: Bool = false, dependsOnUser: Bool = false,
        _ message: String
    ) {
        self.keyPath = keyPath
        self.line = line
        self.source = source
        self.message = message
        self.concernsConnectionsOnly = concernsConnectionsOnly
        self.dependsOnUser = dependsOnUser
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// One line: the place, the key path and the message.
    package var description: String {
        let place =
            switch source {
            case .defaults: "default"
            case .file(let path): line.map { "\(path):\($0)" } ?? path
            case .environment(let variable): variable
            case .override: "--set"
            }
        return [place, keyPath, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}
