import JSONText
package import TelemetryModel

/// The gateway's status, as published on `fathom/{gateway}/status`.
package struct GatewayStatus: Sendable, Equatable {
    /// Whether it runs.
    package enum State: String, Sendable, CaseIterable {
        /// Running.
        case online
        /// Stopped, or lost: then it is the last will.
        case offline
    }

    /// Its name.
    package var gateway: Identifier
    /// Whether it runs.
    package var state: State
    /// The time of the status; nil in a last will, which is written long before it is published.
    package var at: UnixTime?
    /// Seconds since it started.
    package var uptime: Double?
    /// The program's version.
    package var version: String
    /// The state of the connections that receive frames, and why one is down.
    package var ingress: String?
    /// The state of each lane: its connection and why it is down, or that it receives no heartbeat.
    package var lanes: [String: String] = [:]
    /// The id of this run of the gateway.
    package var instance: String?
    /// Whether device state is kept over restarts.
    package var isDurable: Bool?
    /// Why checkpoints cannot be written at present; nil when they can.
    package var storageProblem: String?
    /// Parts of stored states that could not be read, the first of them.
    package var droppedParts: [String] = []
    /// How many parts could not be read.
    package var droppedPartCount = 0
    /// Frames set aside because processing them ended the process.
    package var deadLetters: Int?
    /// The largest packet that the broker may send, in bytes: it drops larger frames, which nobody reports. Nil on MQTT 3.1.1.
    package var maximumPacketBytes: Int?
    /// The protocol version of the connections, `5` or `3.1.1`: 3.1.1 also where the broker refuses 5.
    package var mqttVersion: String?
    /// What is known of the broker that it publishes to.
    package var broker: BrokerReport?
    /// The partitions of devices that it owns; nil for all devices.
    package var partitions: PartitionSet?
    /// Registered devices.
    package var registeredDevices: Int?
    /// Devices that hold state.
    package var activeDevices: Int?
    /// Why the registry file that was read last is not in force; nil when it is.
    package var registryProblem: String?
    /// What a person should look at though frames flow, by what it is about.
    package var warnings: [String: String] = [:]
    /// The devices that cost the most, the first most of all.
    package var costliest: [CostliestDevices.Entry] = []
    /// The counters of all lanes.
    package var counters: PipelineCounters?
    /// Messages refused at admission, by reason.
    package var notAdmitted: [RejectionReason: Int] = [:]
    /// Batches released to the broker because their derived messages were not accepted in time.
    package var releasedBatches = 0
    /// How requests ended, by `answered`, `failed`, `unanswerable` and `dropped`; nil where they are not answered.
    package var requests: [String: Int]?

    /// What is kept of messages that the broker refuses.
    package var refused = RefusedFigures()

    /// What is stored of histories; nil where nothing is.
    package var history: HistoryFigures?

    /// A status with the required fields.
    package init(gateway: Identifier, state: State, version: String) {
        self.gateway = gateway
        self.state = state
        self.version = version
    }
}

extension OutboundEncoder {
    /// The retained message for `status`.
    package func encode(_ status: GatewayStatus) -> OutboundMessage {
        let payload = JSONWriter.object { json in
            json.field("schema", Self.schema)
            json.field("gateway", status.gateway.rawValue)
            json.field("state", status.state.rawValue)
            json.field("version", status.version)
            if let at = status.at { json.seconds("at", at.seconds) }
            if let uptime = status.uptime { json.seconds("uptime", uptime) }
            if let ingress = status.ingress { json.field("ingress", ingress) }
            if !status.lanes.isEmpty { json.texts("lanes", status.lanes) }
            if let instance = status.instance { json.field("instance", instance) }
            if let isDurable = status.isDurable { json.field("durable", isDurable) }
            if let problem = status.storageProblem { json.field("storageProblem", problem) }
            if status.droppedPartCount > 0 {
                json.field("droppedPartCount", status.droppedPartCount)
                json.field("droppedParts", status.droppedParts)
            }
            if let deadLetters = status.deadLetters { json.field("deadLetters", deadLetters) }
            if let version = status.mqttVersion { json.field("mqttVersion", version) }
            if let bytes = status.maximumPacketBytes { json.field("maximumPacketBytes", bytes) }
            if let broker = status.broker { json.object("broker") { broker.write(to: &$0) } }
            if let partitions = status.partitions { json.field("partitions", "\(partitions)") }
            if let devices = status.registeredDevices { json.field("registeredDevices", devices) }
            if let devices = status.activeDevices { json.field("activeDevices", devices) }
            if let problem = status.registryProblem { json.field("registryProblem", problem) }
            if !status.warnings.isEmpty { json.texts("warnings", status.warnings) }
            if status.refused != RefusedFigures() {
                json.object("refusedTopics") { json in
                    json.field("count", status.refused.topics)
                    json.field("first", status.refused.first)
                    json.field("kept", status.refused.kept)
                    json.counts("messages", Self.counts(status.refused.refused))
                    json.counts("discarded", Self.counts(status.refused.discarded))
                }
            }
            if let history = status.history {
                json.object("history") { json in
                    json.field("megabytes", history.megabytes)
                    json.field("discardedDays", history.deleted.discardedDays)
                    json.field("discardedMinutes", history.deleted.discardedMinutes)
                    json.field("discardedEvents", history.deleted.discardedEvents)
                    json.field("expiredMinutes", history.deleted.expiredMinutes)
                    json.field("expiredEvents", history.deleted.expiredEvents)
                    json.field("erased", history.erased)
                }
            }
            if status.state == .online {
                json.array("costliest") { json in
                    for entry in status.costliest {
                        json.object { json in
                            json.field("device", entry.device.rawValue)
                            json.field("units", entry.units)
                        }
                    }
                }
            }
            if let counters = status.counters {
                json.object("counters") { json in encode(counters, of: status, into: &json) }
            }
        }
        return OutboundMessage(topic: "fathom/\(status.gateway)/status", payload: payload, retain: true)
    }

    private static func counts(_ counts: [PublishRefusal: Int]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    }

    private func encode(_ counters: PipelineCounters, of status: GatewayStatus, into json: inout JSONWriter) {
        // Messages that were not admitted were received, too: `received` is the sum of all outcomes and waiting messages.
        json.field("received", status.notAdmitted.values.reduce(counters.received) { $0.addingSaturated($1) })
        json.field("processed", counters.processed)
        json.field("repeated", counters.repeated)
        json.field("late", counters.late)
        json.field("setAside", counters.setAside)
        json.field("held", counters.held)
        json.field("missingFrames", counters.missingFrames)
        json.field("endedForRoom", counters.endedForRoom)
        json.field("identityConflicts", counters.identityConflicts)
        json.field("clocksTooFast", counters.clocksTooFast)
        json.field("messagesOverLimit", counters.messagesOverLimit)
        json.field("samplesAtLimit", counters.samplesAtLimit)
        json.field("unusableSamples", counters.unusableSamples)
        json.field("fusionRestarts", counters.fusionRestarts)
        json.field("retainedIgnored", counters.retainedIgnored)
        json.field("unknownDevices", status.notAdmitted[.unknownDevice] ?? 0)
        for name in Derivations.counters { json.field(name, counters.noted["\(name)"] ?? 0) }
        json.field("releasedBatches", status.releasedBatches)
        let rejected = counters.rejected.merging(status.notAdmitted.filter { $0.key != .unknownDevice }, uniquingKeysWith: +)
        json.counts("rejected", Dictionary(uniqueKeysWithValues: rejected.map { ($0.key.rawValue, $0.value) }))
        json.counts("refused", Dictionary(uniqueKeysWithValues: counters.refused.map { ($0.key.rawValue, $0.value) }))
        json.counts("derived", counters.derived)
        json.field("repeatedReadings", counters.repeatedReadings)
        json.field("refusedReadings", counters.refusedReadings)
        json.counts("ignoredReadings", counters.ignoredReadings.counts)
        if let requests = status.requests { json.counts("requests", requests) }
    }
}
