extension GatewayConfiguration {
    /// How requests on `{root}/{device}/query/{query}` are answered.
    package struct Requests: Sendable, Equatable {
        /// Whether they are answered; default true, but see ``GatewayConfiguration/answersRequests``.
        package var enabled = true
        /// How many requests a second one user may make, 0.1 to 100; default 5. Five seconds' worth may come at once.
        package var perSecond = 5.0
        /// How much one user may be sent in an hour, in MiB, 1 to 16,384; default 512, in which 36 h at 50 Hz fit.
        package var mebibytesPerHour = 512
        /// The account of the connection that receives requests and publishes replies.
        package var account = MQTT.Identity()
        /// The account of `fathom request`, which the gateway itself does not use.
        package var asker = MQTT.Identity()

        /// Makes a section in which every setting has its default.
        package init() {}
    }
}

extension GatewayConfiguration.Requests {
    static let settings: [Setting] =
        [
            Setting(
                "requests.enabled", \.requests.enabled,
                "Whether requests of clients are answered (docs/requests.md); needs requests.account where others have accounts"),
            Setting(
                "requests.perSecond", \.requests.perSecond, in: .from(0.1, to: 100), unit: "requests a second",
                "How often one user may ask; five seconds' worth may come at once"),
            Setting(
                "requests.mebibytesPerHour", \.requests.mebibytesPerHour, in: .from(1, to: 16_384), unit: "MiB",
                "How much one user may be sent in an hour; 36 h of recorded acceleration at 50 Hz are about 400"),
        ] + GatewayConfiguration.MQTT.Identity.settings(.requests) + GatewayConfiguration.MQTT.Identity.settings(.asker)
}
