import GatewayConfiguration
import GatewayPipeline
import HomeAssistant
import Mosquitto
import Synchronization
import TelemetryModel

/// What is announced to Home Assistant: lanes and registry change it, `DiscoveryService` publishes it. No call blocks.
final class Discovery: Sendable {
    private struct Contents {
        var devices: AnnouncedDevices
        /// Whether everything is published, and not only what has changed.
        var includesAll = false
    }

    private let contents: Mutex<Contents>
    private let statusTopic: String
    /// An element whenever there may be something to publish.
    let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    /// An element whenever Home Assistant has started.
    let starts: AsyncStream<Void>
    private let start: AsyncStream<Void>.Continuation

    /// Makes the messages.
    let encoder: DiscoveryEncoder
    /// What was published.
    let store: DiscoveryStore
    /// Whether devices are announced; otherwise what was announced before is removed.
    let isEnabled: Bool

    /// Continues from what the previous run has announced. Nil where nothing is to be announced or removed.
    init?(
        _ configuration: GatewayConfiguration, _ settings: PipelineSettings, policy: AccessPolicy, directory: StateDirectory?
    ) throws(GatewayError) {
        isEnabled = configuration.homeAssistant.discovery
        guard isEnabled || directory?.hasDiscoveryStore == true else { return nil }
        let rows: [DiscoveryStore.Row]
        do {
            store = try directory?.discoveryStore() ?? DiscoveryStore()
            rows = try store.rows()
        } catch { throw GatewayError("gateway.stateDirectory: what is announced to Home Assistant cannot be read: \(error)") }
        guard isEnabled || !rows.isEmpty else { return nil }
        encoder = DiscoveryEncoder(
            prefix: configuration.homeAssistant.prefix, root: settings.topics.rootPath, gateway: settings.gateway,
            version: GatewayVersion.current,
            expiry: EntityExpiry(derive: settings.derive, silentSeconds: configuration.gateway.silentSeconds),
            alarms: settings.derive[AlarmDerivation.self], lane: { GatewayConfiguration.Lanes.Name(of: $0).rawValue })
        statusTopic = "\(configuration.homeAssistant.prefix)/status"
        let announced =
            isEnabled ? rows.compactMap { row in row.device.flatMap { device in row.announced.map { (device, $0) } } } : []
        let devices = AnnouncedDevices(
            Dictionary(announced) { first, _ in first }, policy: policy, announces: encoder.announces,
            isSwitchedOff: settings.derive.isSwitchedOff)
        contents = Mutex(Contents(devices: devices))
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (starts, start) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        if devices.hasChanges { change.yield() }
    }

    /// The subscription to Home Assistant's status; a broker that refuses it does not end the connection.
    var subscription: MosquittoConfiguration.Subscription? {
        guard isEnabled else { return nil }
        // At QoS 0 the connection that publishes never has anything to acknowledge.
        return .init(
            statusTopic, qos: .atMostOnce, adviceIfRefused: "starts of Home Assistant are not noticed", isRequired: false)
    }

    /// What a lane with `streams` calls with the reports of its pipeline; nil where nothing is announced.
    func reportKinds(of streams: Set<StreamName>) -> (@Sendable ([KindReport]) -> Void)? {
        guard isEnabled else { return nil }
        return { [self] reports in update { $0.devices.note(reports, by: streams) } }
    }

    /// Puts another policy into force.
    func replace(policy: AccessPolicy) { update { $0.devices.replace(policy: policy) } }

    /// Publishes the gateway and every device again.
    func announceAll() {
        update { contents in
            contents.includesAll = true
            contents.devices.announceAll()
        }
    }

    /// What is to be published now, in order of the devices' ids, and whether that is everything.
    func takeChanges() -> ([AnnouncedDevices.Change], includesAll: Bool) {
        let (changes, includesAll) = contents.withLock { ($0.devices.takeChanges(), exchange(&$0.includesAll, with: false)) }
        return (changes.sorted { $0.device < $1.device }, includesAll)
    }

    /// The topics of messages that the broker may retain and nobody wants: of an earlier configuration, and of devices whose
    /// removal it has not accepted in time.
    func unwantedTopics() throws -> [String] {
        try store.rows().filter { row in
            guard isEnabled else { return true }
            guard let device = row.device else { return row.topic != encoder.gatewayTopic }
            return row.announced == nil || row.topic != encoder.topic(of: device)
        }.map(\.topic)
    }

    /// The message that removes the gateway itself from Home Assistant; nil where it is not announced.
    var gatewayRemoval: MQTTMessage? {
        isEnabled ? MQTTMessage(OutboundMessage(topic: encoder.gatewayTopic, payload: [], retain: true)) : nil
    }

    /// Takes what was delivered on the subscription. A retained status is older than the connection, at which everything is
    /// published anyway.
    func receive(_ messages: [MQTTMessage]) {
        guard messages.contains(where: { $0.topic == statusTopic && !$0.retain && $0.payload.elementsEqual("online".utf8) })
        else {
            return
        }
        start.yield()
    }

    private func update(_ body: (inout Contents) -> Void) {
        let hasChanges = contents.withLock { contents in
            body(&contents)
            return contents.includesAll || contents.devices.hasChanges
        }
        if hasChanges { change.yield() }
    }
}
