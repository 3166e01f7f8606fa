extension MosquittoConfiguration {
    /// Throws for values that libmosquitto or the protocol would refuse on every attempt, and for QoS 2 subscriptions.
    package func validate() throws(MosquittoError) {
        for (isWrong, problem) in problems where isWrong {
            throw MosquittoError(origin: .client, reason: "invalid configuration: \(problem)", isRetriable: false)
        }
    }

    private var problems: [(Bool, String)] {
        [
            (brokers.addresses.isEmpty, "no broker"),
            (brokers.addresses.contains { $0.host.isEmpty || $0.host.utf8.contains(0) }, "host"),
            (brokers.addresses.contains { $0.port == 0 }, "port"),
            (clientID.isEmpty || clientID.utf8.contains(0) || clientID.utf8.count > 65_535, "client identifier"),
            (!(5...65_535).contains(keepAliveSeconds), "keep-alive must be 5 to 65535 seconds"),
            (receiveMaximum == 0, "receive maximum must not be 0"),
            (maximumPacketSize == 0, "maximum packet size must not be 0"),
            (batchLimit < 1, "batch limit must be at least 1"),
            (batchMilliseconds < 0, "batch time must not be negative"),
            (gatherMilliseconds < 0, "the time between batches must not be negative"),
            (!(1...60_000).contains(publishWindow), "publish window must be 1 to 60000"),
            (!(connectTimeoutSeconds > 0), "connect time-out must be positive"),
            (!(drainTimeoutSeconds >= 0), "drain time-out must not be negative"),
            (!(backOff.initialSeconds > 0 && backOff.maximumSeconds >= backOff.initialSeconds), "back-off"),
            (password != nil && username == nil && version == .v311, "a password needs a user name on MQTT 3.1.1"),
            ((tls?.certificateFile == nil) != (tls?.keyFile == nil), "certificate and key belong together"),
            // Measured: messages that libmosquitto has confirmed with PUBREC are only in its memory, so a crash loses them.
            (subscriptions.contains { $0.qos == .exactlyOnce }, "QoS 2 subscriptions lose messages in a crash"),
            (subscriptions.contains { $0.filter.isEmpty || $0.filter.utf8.contains(0) }, "topic filter"),
        ]
    }
}
