extension GatewayConfiguration {
    /// Where it stands who publishes in ways of their own.
    package struct ProducersSource: Sendable, Equatable {
        /// The producers file; default none: only frames of the wire contract are read.
        package var file: String?

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.ProducersSource {
    static let settings: [Setting] = [
        Setting(
            "producers.file", \.producers.file, whenNull: "only frames of the wire contract are read", location: .anywhere,
            "The file that says which apps publish in ways of their own, and on which topics")
    ]
}
