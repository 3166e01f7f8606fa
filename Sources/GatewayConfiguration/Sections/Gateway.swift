package import GatewayPipeline

extension GatewayConfiguration {
    /// The gateway's name, topics and state directory.
    package struct Gateway: Sendable, Equatable {
        /// The gateway's name in `fathom/{gateway}/…`, 1 to 64 of `A-Z a-z 0-9 _ -`; default `gateway`. Each gateway on a broker
        /// needs its own name.
        package var name = "gateway"
        /// The folder for checkpoints and dead letters; default none: device state is then lost when the process ends.
        package var stateDirectory: String?
        /// The topic levels before the device, at least one, without wildcards; default `wearables`.
        package var root = "wearables"
        /// The topic levels a partitioned broker puts before the root on the way in, where `+` stands for any one level; default none.
        package var mountPrefix: String?
        /// The partitions of devices that it owns; default none: it owns all devices.
        package var partition: PartitionSet?
        /// How long a device may be silent before its state is on disk only, in seconds, 1 to 1,000,000; default 600.
        package var idleStateSeconds = 600.0
        /// Whether messages on topics of no stream are published as rejected; default false. They can only be subscribed to together
        /// with everything else, so that the broker sends every message twice.
        package var reportUnknownStreams = false
        /// Whether `out/committed/{stream}` is published, the committed sequence number of each stream; default false.
        package var publishCommitted = false
        /// How often the gateway publishes its status, in seconds, 0.1 to 3,600; default 10.
        package var statusSeconds = 10.0
    }
}

extension GatewayConfiguration.Gateway {
    /// How long a gateway may publish no status before it counts as silent, in seconds: three intervals, and at least a minute.
    package var silentSeconds: Double { max(60, 3 * statusSeconds) }

    /// What stands for the owned partitions in the name, the mount prefix and the state directory.
    static let placeholder = "{partition}"

    /// The topic levels of devices' own topics before the device: with a mount prefix of partitions those of each that is owned.
    package var prefixes: [String] {
        guard let mountPrefix else { return [root] }
        guard let partition, mountPrefix.contains(Self.placeholder) else { return ["\(mountPrefix)/\(root)"] }
        return partition.owned.map { "\(mountPrefix.replacing(Self.placeholder, with: "\($0)"))/\(root)" }
    }

    /// Whether a setting names partitions.
    var namesPartitions: Bool {
        [name, mountPrefix, stateDirectory].contains { $0?.contains(Self.placeholder) ?? false }
    }

    static let settings: [Setting] = [
        Setting(
            "gateway.name", \.gateway.name, in: .gatewayName,
            "The gateway's name in fathom/{gateway}/status, unique on its broker; {partition} stands for its partitions"
        ),
        Setting(
            "gateway.stateDirectory", \.gateway.stateDirectory, whenNull: "none", location: .anywhere,
            "The folder for checkpoints and dead letters, where {partition} stands for the gateway's partitions; without one, device state "
                + "is lost when the process ends"),
        Setting("gateway.root", \.gateway.root, in: .topic, "The topic levels before the device"),
        Setting(
            "gateway.mountPrefix", \.gateway.mountPrefix, in: .topicFilter, whenNull: "none",
            "The topic levels before the root on the way in; {partition} stands for each of the gateway's partitions"),
        Setting(
            "gateway.partition", \.gateway.partition, whenNull: "all devices",
            "The partitions of devices that the gateway owns, and how many there are; frames of other devices are rejected"),
        Setting(
            "gateway.idleStateSeconds", \.gateway.idleStateSeconds, in: .from(1, to: 1_000_000), unit: "seconds",
            "How long a device may be silent before its state is on disk only"),
        Setting(
            "gateway.reportUnknownStreams", \.gateway.reportUnknownStreams,
            "Whether messages on topics of no stream are published as rejected; the broker then sends every message twice"),
        Setting(
            "gateway.publishCommitted", \.gateway.publishCommitted,
            "Whether out/committed/{stream} is published, with which devices can send again what a broker lost"),
        Setting(
            "gateway.statusSeconds", \.gateway.statusSeconds, in: .from(0.1, to: 3_600), unit: "seconds",
            "How often the gateway publishes its status"),
    ]
}

extension GatewayConfiguration {
    /// Puts the owned partitions into the names of the gateway and its bucket, and into the state directory.
    mutating func placePartitions() {
        guard let partition = gateway.partition else { return }
        func placed(_ text: String) -> String { text.replacing(Gateway.placeholder, with: partition.label) }
        gateway.name = placed(gateway.name)
        gateway.stateDirectory = gateway.stateDirectory.map(placed)
        keyValue.bucket = keyValue.bucket.map(placed)
    }
}
