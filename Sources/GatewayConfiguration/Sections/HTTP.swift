extension GatewayConfiguration {
    /// Where metrics and health are served.
    package struct HTTP: Sendable, Equatable {
        /// The address to listen on; default 127.0.0.1, this machine alone. There are no accounts: elsewhere a proxy has to ask for one.
        package var address = "127.0.0.1"
        /// The TCP port, 0 to 65,535, where 0 is any free port; default 9464. Nil serves nothing.
        package var port: Int? = 9464
    }
}

extension GatewayConfiguration.HTTP {
    static let settings: [Setting] = [
        Setting(
            "http.address", \.http.address, in: .host,
            "The address on which /metrics, /healthz and /readyz are served; they ask for no password"),
        Setting(
            "http.port", \.http.port, in: .from(0, to: 65_535), whenNull: "nothing is served",
            "The TCP port for that; each gateway on a machine needs its own, 0 is any free one"),
    ]
}
