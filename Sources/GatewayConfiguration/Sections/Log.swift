extension GatewayConfiguration {
    /// What is logged, and how.
    package struct Log: Sendable, Equatable {
        /// The least severe lines that are logged.
        package enum Level: String, Sendable, CaseIterable {
            case trace, debug, info, notice, warning, error, critical
        }

        /// The form of a line.
        package enum Format: String, Sendable, CaseIterable {
            /// For people.
            case text
            /// An object a line.
            case json
        }

        /// The level; default info.
        package var level = Level.info
        /// The format; default text.
        package var format = Format.text
    }
}

extension GatewayConfiguration.Log {
    static let settings: [Setting] = [
        Setting("log.level", \.log.level, "The least severe lines that are logged, on standard error"),
        Setting("log.format", \.log.format, "The form of a line: text for people, json for programs"),
    ]
}
