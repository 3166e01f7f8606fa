extension GatewayConfiguration {
    /// Where the producers file is.
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
            "The file with the apps that publish on topics and in payloads of their own")
    ]
}
