package import GatewayHTTP
import JSONText
import Synchronization

/// The page's store, and the viewers to which its changes are sent.
package final class PageHub: Sendable {
    /// Seconds between two beats.
    private static let beatSeconds = 2.0
    /// Events that wait for a viewer before it is cut off.
    private static let viewerEvents = 256
    /// Bytes of those behind the first.
    private static let viewerBytes = 8_388_608

    fileprivate struct Contents {
        var store: FleetStore
        var log: EventLog
        var viewers: [EventStream] = []
        var brokerProblem: String? = "connecting"
        var lastBeat = -Double.infinity
    }

    private let contents: Mutex<Contents>

    /// Creates a hub; `startedAt` is in unix seconds.
    package init(store: FleetStore, startedAt: Double) {
        contents = Mutex(Contents(store: store, log: EventLog(firstID: UInt64(max(0, startedAt)) * 100_000)))
    }

    /// Processes a message; see `FleetStore`.
    package func receive(topic: String, payload: [UInt8], at now: Double) {
        contents.withLock { $0.store.receive(topic: topic, payload: payload, at: now) }
    }

    /// Sends the viewers what has changed, and every two seconds that the page is alive. `brokerProblem` is why nothing is
    /// received, nil when the page is connected; a change of it is sent at once.
    package func tick(at now: Double, brokerProblem: String?) {
        contents.withLock { contents in
            if contents.brokerProblem != brokerProblem {
                if contents.brokerProblem == nil || brokerProblem == nil {
                    contents.store.note(isConnected: brokerProblem == nil, at: now)
                }
                contents.brokerProblem = brokerProblem
                contents.lastBeat = -.infinity
            }
            if let changes = contents.store.takeChanges(at: now) { contents.send("derived", changes) }
            if now - contents.lastBeat >= Self.beatSeconds || now < contents.lastBeat { contents.beat(at: now) }
        }
    }

    /// A new viewer, who gets everything, or what was sent since the event `lastID` where that is still known.
    package func viewer(after lastID: UInt64?, at now: Double) -> EventStream {
        let stream = EventStream(capacity: Self.viewerEvents, mostBytes: Self.viewerBytes)
        contents.withLock { contents in
            if let missed = lastID.flatMap({ contents.log.events(after: $0) }) {
                for event in missed { stream.send(event) }
            } else {
                // The snapshot holds what the log does up to its last event, so it takes that id.
                stream.send(
                    ServerSentEvent(id: contents.log.lastID, name: "snapshot", data: contents.everything(at: now)))
            }
            contents.viewers.append(stream)
        }
        return stream
    }

    /// Ends the streams of all viewers.
    package func finish() {
        for viewer in contents.withLock({ $0.viewers }) { viewer.finish() }
    }

    /// Everything but the histories, as JSON.
    package func everything(at now: Double) -> [UInt8] { Array(contents.withLock { $0.everything(at: now) }.utf8) }

    /// One device with its history, as JSON; nil where it is not known.
    package func device(_ id: String) -> [UInt8]? { contents.withLock { $0.store.device(id) } }

    /// What is known of each device, in Prometheus' format.
    package func metrics(at now: Double) -> [UInt8] {
        contents.withLock { $0.store.metrics(at: now, isConnected: $0.brokerProblem == nil) }
    }

    /// Whether a device records its wearer's days and nights; nil where the device is not known.
    func recordsDays(_ id: String) -> Bool? { contents.withLock { $0.store.recordsDays(id) } }

    /// How many gateways have published a status.
    package var gateways: Int { contents.withLock { $0.store.gatewayNames.count } }

    /// Why the page receives nothing from the broker; nil when it is connected.
    package var brokerProblem: String? { contents.withLock { $0.brokerProblem } }
}

extension PageHub.Contents {
    mutating func send(_ name: String, _ json: [UInt8]) {
        let event = ServerSentEvent(id: log.nextID(), name: name, data: String(decoding: json, as: UTF8.self)).bytes
        log.append(event)
        viewers.removeAll { !$0.send(event) }
    }

    mutating func beat(at now: Double) {
        lastBeat = now
        send(
            "beat",
            JSONWriter.object { json in
                json.seconds("at", now)
                json.field("brokerProblem", brokerProblem)
            })
    }

    func everything(at now: Double) -> String {
        let bytes = JSONWriter.object { json in
            json.seconds("at", now)
            json.field("brokerProblem", brokerProblem)
            store.encodeAll(into: &json)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
