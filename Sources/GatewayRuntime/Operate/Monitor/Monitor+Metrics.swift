import GatewayConfiguration
import GatewayPipeline
import Glibc
import Metrics
import Mosquitto
import TelemetryModel

/// The page of `/metrics`. Every label is from a closed list, so that the number of series does not depend on the fleet.
extension Monitor {
    /// The metrics of this moment in Prometheus' text format.
    package func metrics() -> String {
        let conditions = status.conditions
        let snapshots = lanes.snapshots.sorted { $0.key.rawValue < $1.key.rawValue }
        let total = snapshots.map(\.value).reduce(LaneSnapshot(), +)
        var text = MetricsText()
        writeMessages(snapshots, to: &text)
        writeOutcomes(total.counters, to: &text)
        writeFleet(total, to: &text)
        writeTimes(snapshots, conditions, to: &text)
        writeConnections(conditions, to: &text)
        writeGateway(snapshots.map(\.key), conditions, to: &text)
        ProcessMetrics.write(to: &text)
        return text.text
    }

    private typealias Lane = (key: GatewayConfiguration.Lanes.Name, value: LaneSnapshot)
    private typealias Sample = MetricsText.Sample

    private func writeMessages(_ lanes: [Lane], to text: inout MetricsText) {
        func samples(_ value: (LaneSnapshot) -> Int) -> [Sample] {
            lanes.map { .init(value($0.value), ("lane", $0.key.rawValue)) }
        }
        text.counter(
            "fathom_messages_received_total", "Messages of known devices; their outcomes are in fathom_frames_total.",
            samples { $0.counters.received })
        text.counter("fathom_received_bytes_total", "Bytes of their payloads.", samples { $0.counters.receivedBytes })
        text.gauge("fathom_frames_held", "Messages that wait for an earlier one.", samples { $0.held })
        let turnedAway = lanes.map(\.value).reduce(LaneSnapshot(), +).notAdmitted
        let reasons: [RejectionReason] = [.unknownDevice, .invalidTopic, .otherPartition]
        let others = turnedAway.filter { !reasons.contains($0.key) }.values.reduce(0, +)
        text.counter(
            "fathom_turned_away_total", "Messages of no known device, which are not in fathom_messages_received_total.",
            reasons.map { .init(turnedAway[$0] ?? 0, ("reason", $0.rawValue)) } + [.init(others, ("reason", "other"))])
    }

    /// The streams, and nil for messages of none.
    private static let streams: [StreamName?] = StreamName.allCases + [nil]

    private func writeOutcomes(_ counters: PipelineCounters, to text: inout MetricsText) {
        func samples(_ values: (StreamCounts) -> [(label: (name: String, value: String)?, count: Int)]) -> [Sample] {
            Self.streams.flatMap { stream in
                values(counters.streams[stream] ?? StreamCounts()).map { value in
                    let own = ("stream", stream?.rawValue ?? "other")
                    return value.label.map { .init(value.count, own, $0) } ?? .init(value.count, own)
                }
            }
        }
        text.counter(
            "fathom_frames_total", "Messages by what became of them.",
            samples { counts in
                [
                    (("outcome", "processed"), counts.processed), (("outcome", "repeated"), counts.repeated),
                    (("outcome", "late"), counts.late), (("outcome", "rejected"), counts.rejected.values.reduce(0, +)),
                    (("outcome", "refused"), counts.refused.values.reduce(0, +)),
                    (("outcome", "ignored"), counts.retainedIgnored), (("outcome", "setAside"), counts.setAside),
                ]
            })
        text.counter(
            "fathom_frames_refused_total", "Messages refused by a check of access.",
            samples { counts in
                AccessReason.allCases.filter { $0 != .allowed }.map { (("reason", $0.rawValue), counts.refused[$0] ?? 0) }
            })
        let rejected = counters.rejected
        text.counter(
            "fathom_frames_rejected_total", "Messages rejected for what they are.",
            RejectionReason.ofFrames.map { .init(rejected[$0] ?? 0, ("reason", $0.rawValue)) })
        text.counter(
            "fathom_missing_frames_total", "Frames missing by seq, published as gaps.", samples { [(nil, $0.missingFrames)] })
        text.counter(
            "fathom_missing_samples_total", "Samples missing inside of batches, published as gaps.",
            samples { [(nil, $0.missingSamples)] })
        text.counter("fathom_samples_total", "Samples processed.", samples { [(nil, $0.samples)] })
        let kinds = Set(KindDescription.all.map { String($0.name.prefix { $0 != "/" }) })
        let others = counters.derived.filter { !kinds.contains($0.key) }.values.reduce(0, +)
        text.counter(
            "fathom_derived_total", "Derived messages by the first level of their kind.",
            kinds.sorted().map { .init(counters.derived[$0] ?? 0, ("kind", $0)) } + [.init(others, ("kind", "other"))])
        text.counter(
            "fathom_depth_faults_total", "Depth measurements that contradict themselves or each other.",
            [.init(counters.noted["depthFaults"] ?? 0)])
        text.counter(
            "fathom_raw_samples_total", "Samples of raw motion that the fusion could not take as they are.",
            [
                .init(counters.samplesAtLimit, ("reason", "limit")), .init(counters.unusableSamples, ("reason", "unusable")),
            ])
        text.counter(
            "fathom_fusion_restarts_total",
            "Fusions of raw motion that started anew, as they disagreed with the acceleration at rest.",
            [.init(counters.fusionRestarts)])
        text.counter(
            "fathom_depth_disagreements_total", "Depth states of devices that differ from what was derived.",
            [.init(counters.noted["depthDisagreements"] ?? 0)])
    }

    private func writeFleet(_ total: LaneSnapshot, to text: inout MetricsText) {
        text.gauge(
            "fathom_devices", "Devices in the registry, and devices with state in memory.",
            [
                .init(lanes.admission.policy.devices.count, ("state", "registered")),
                .init(total.activeDevices, ("state", "active")),
            ])
        text.gauge(
            "fathom_devices_connected", "Devices by the connection that was published last.",
            GatewayPipeline.ConnectionState.allCases.map { .init(total.fleet.connections[$0] ?? 0, ("state", $0.rawValue)) })
        text.gauge(
            "fathom_devices_under_water", "Devices by the depth state that was published last.",
            DepthState.allCases.map { .init(total.fleet.depths[$0] ?? 0, ("state", $0.name)) })
        text.gauge(
            "fathom_alarms", "Alarms that are raised, acknowledged ones included, by the rules in force.",
            configuration.derive[AlarmDerivation.self].rules.map { rule in
                let label = FleetStates.AlarmLabel(name: rule.name, severity: rule.severity)
                return .init(total.fleet.alarms[label] ?? 0, ("name", rule.name), ("severity", rule.severity.rawValue))
            })
    }

    private func writeTimes(_ lanes: [Lane], _ conditions: GatewayConditions, to text: inout MetricsText) {
        func values(_ histogram: (LaneSnapshot) -> Histogram) -> [(value: String, histogram: Histogram)] {
            lanes.map { ($0.key.rawValue, histogram($0.value)) }
        }
        text.histogram(
            "fathom_frame_age_seconds", "From a frame's sent to its processing.", by: "lane", values { $0.counters.age })
        text.histogram(
            "fathom_frame_process_duration_seconds", "How long the lane's thread processed a frame.", by: "lane",
            values { $0.process })
        text.histogram(
            "fathom_frame_settle_duration_seconds", "From reading a frame to its acknowledgement.", by: "lane",
            values { $0.settle })
        text.histogram(
            "fathom_checkpoint_duration_seconds", "How long a checkpoint took to write and synchronize.", by: "lane",
            values { $0.checkpoint })
        text.counter(
            "fathom_released_batches_total", "Batches given back to the broker, which delivers them again.",
            lanes.map { .init(conditions.releasedBatches[$0.key] ?? 0, ("lane", $0.key.rawValue)) })
    }

    private func writeConnections(_ conditions: GatewayConditions, to text: inout MetricsText) {
        let now = clock.now
        let probes = lanes.probes
        let lanes = probes.map { (name: $0.name.rawValue, client: $0.client) }
        var clients = lanes + [(name: "out", client: egress.client)]
        if let requestClient { clients.append((name: "requests", client: requestClient)) }
        // A lane that has reported its state and does not run yet: its account is being checked.
        let waiting = conditions.connections.keys.filter { name in !probes.contains { $0.name == name } }.map {
            Sample(0, ("connection", $0.rawValue))
        }
        text.gauge(
            "fathom_mqtt_connected", "Whether the connection is up and subscribed.",
            clients.map { .init($0.client.state.isConnected ? 1 : 0, ("connection", $0.name)) } + waiting)
        text.counter(
            "fathom_mqtt_connections_total", "Connections made since the start.",
            clients.map { .init($0.client.statistics.connections, ("connection", $0.name)) })
        text.gauge(
            "fathom_mqtt_heartbeat_last_received_timestamp_seconds",
            "When the broker last delivered a heartbeat that the gateway publishes to itself, unix time; 0 for never.",
            probes.map { probe in
                let at = probe.watch.heartbeatAt.map { now.unix.seconds - (now.monotonic - $0) }
                return .init(at ?? 0, ("connection", probe.name.rawValue))
            })
        let out = egress.client.statistics
        text.counter(
            "fathom_mqtt_published_total", "Messages that the broker has accepted.", [.init(Double(out.messagesAccepted))])
        text.counter(
            "fathom_mqtt_qos0_total", "Messages of mqtt.qos0Kinds that were written to the connection, or dropped.",
            [
                .init(Double(out.messagesWritten), ("result", "written")),
                .init(Double(out.messagesDropped), ("result", "dropped")),
            ])
        text.gauge(
            "fathom_mqtt_outbox_messages", "Messages neither accepted by the broker nor kept because it refuses them.",
            [.init(out.outboxCount)])
        let refused = keeper.figures
        text.gauge("fathom_mqtt_refused_topics", "Topics that the broker refuses.", [.init(refused.topics)])
        text.gauge(
            "fathom_mqtt_refused_kept", "Messages that are kept until the broker accepts them.", [.init(refused.kept)])
        text.counter(
            "fathom_mqtt_refused_total", "Messages that the broker has refused, and that were kept or replaced by a newer one.",
            PublishRefusal.allCases.map { .init(refused.refused[$0] ?? 0, ("reason", $0.rawValue)) })
        text.counter(
            "fathom_mqtt_refused_discarded_total", "Refused messages that were discarded to make room.",
            PublishRefusal.allCases.map { .init(refused.discarded[$0] ?? 0, ("reason", $0.rawValue)) })
    }

    private func writeGateway(
        _ names: [GatewayConfiguration.Lanes.Name], _ conditions: GatewayConditions, to text: inout MetricsText
    ) {
        if let directory {
            text.gauge(
                "fathom_storage_ok", "Whether checkpoints can be written.",
                names.map { .init(conditions.storageProblems[$0] == nil ? 1 : 0, ("lane", $0.rawValue)) })
            text.gauge(
                "fathom_state_bytes", "The size of the database, its log included.",
                names.map { .init(directory.databaseBytes(of: $0), ("lane", $0.rawValue)) })
            let deleted = directory.history.figures.deleted
            text.counter(
                "fathom_history_deleted_seconds_total", "Seconds of recorded samples deleted by age, or to make room.",
                [.init(deleted.expiredMinutes * 60, ("cause", "age")), .init(deleted.discardedMinutes * 60, ("cause", "room"))])
            text.counter(
                "fathom_history_deleted_events_total", "Stored messages deleted by age, or to make room.",
                [.init(deleted.expiredEvents, ("cause", "age")), .init(deleted.discardedEvents, ("cause", "room"))])
            text.gauge(
                "fathom_dead_letters", "Frames set aside because processing them ended the process.",
                [.init((try? directory.deadLetters.names().count) ?? 0)])
        }
        text.gauge(
            "fathom_registry_in_force", "Whether the registry file that was read last is in force.",
            [.init(conditions.registryProblem == nil ? 1 : 0)])
        text.gauge(
            "fathom_build_info", "The version, and the fingerprint of the derivations' settings.",
            [.init(1, ("version", GatewayVersion.current), ("config", configuration.deriveFingerprint))])
        text.counter("fathom_http_requests_total", "HTTP requests answered.", requests.samples)
    }
}
