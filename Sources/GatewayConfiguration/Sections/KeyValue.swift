extension GatewayConfiguration {
    /// Where a copy of the states is kept: a bucket of NATS's key-value store.
    package struct KeyValue: Sendable, Equatable {
        /// The servers' names or addresses with commas between them, each with a port behind a colon or none for 4222; default none: no copy is
        /// kept.
        package var servers: String?
        /// The bucket, 1 to 64 of `A-Z a-z 0-9 _ -`, one for each gateway; default `fathom-` and ``Gateway/name``.
        package var bucket: String?
        /// How many servers of a cluster store the bucket, 1 to 5, where the gateway makes it; default 1.
        package var replicas = 1
        /// The user name; default none.
        package var username: String?
        /// The password, also when it came from ``passwordFile``; default none.
        package var password: Secret?
        /// The file that holds the password, less one line end; default none. Loading reads it into ``password``.
        package var passwordFile: String?
        /// How long a server may take to answer, and up to 1.5 s of it to accept a connection, in seconds, 0.1 to 60; default 5.
        package var timeoutSeconds = 5.0
        /// The most that a start reads of the bucket, in MB of memory, and in as many seconds, 1 to 10,000; default 200.
        package var maximumMegabytes = 200
        /// How the connection is encrypted.
        package var tls = MQTT.TLS()
    }
}

extension GatewayConfiguration.KeyValue {
    private static let defaultPort = 4_222

    /// The servers in the order in which they are tried; empty where no copy is kept.
    package var addresses: [(host: String, port: Int)] {
        servers.map { BrokerEntry.addresses(in: $0, port: Self.defaultPort) } ?? []
    }

    static let settings: [Setting] = [
        Setting(
            "keyValue.servers", \.keyValue.servers, in: .brokers, whenNull: "no copy is kept",
            "NATS servers whose key-value store has a copy of all states, for a start on any machine"),
        Setting(
            "keyValue.bucket", \.keyValue.bucket, in: .gatewayName, whenNull: "fathom- and gateway.name",
            "The bucket, one for each gateway; {partition} stands for the gateway's partitions"),
        Setting(
            "keyValue.replicas", \.keyValue.replicas, in: .from(1, to: 5), unit: "servers",
            "How many servers of a cluster store the bucket, where the gateway makes it"),
        Setting("keyValue.username", \.keyValue.username, in: .visible, whenNull: "none", "The user name"),
        Setting(
            "keyValue.password", \.keyValue.password, whenNull: "none",
            "The password; better in its environment variable or a file than here"),
        Setting(
            "keyValue.passwordFile", \.keyValue.passwordFile, whenNull: "none", location: .anywhere,
            "The file that holds the password"),
        Setting(
            "keyValue.timeoutSeconds", \.keyValue.timeoutSeconds, in: .from(0.1, to: 60), unit: "seconds",
            "How long a server may take to answer, and up to 1.5 s of it to accept a connection"),
        Setting(
            "keyValue.maximumMegabytes", \.keyValue.maximumMegabytes, in: .from(1, to: 10_000), unit: "MB",
            "The most that a start reads of the bucket, which it holds in memory, and in as many seconds"),
        Setting("keyValue.tls.enabled", \.keyValue.tls.enabled, "Whether to use TLS; the server is always verified"),
        Setting(
            "keyValue.tls.caFile", \.keyValue.tls.caFile, whenNull: "the system's authorities", location: .readable,
            "The authorities that may have signed the server's certificate (PEM)"),
    ]
}
