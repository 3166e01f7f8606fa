import FoundationEssentials
import JSONText

/// The samples around a swing, as a `trace/swing` holds them.
struct SwingSamples: Sendable, Decodable {
    /// A signal at even intervals.
    struct Signal: Sendable, Decodable {
        /// s.
        var interval: Double
        /// The factor of the values.
        var scale: Double
        /// nil where no sample was received.
        var values: [Int32?]
    }

    var swingAt: Double
    var startAt: Double?
    var impactAt: Double?
    /// The instant of the first values.
    var from: Double
    /// G.
    var acceleration: Signal
    /// rad/s.
    var rotationRate: Signal

    /// Reads a payload; nil if it is no trace.
    init?(_ payload: [UInt8]) {
        guard let samples = try? JSONDecoder().decode(Self.self, from: Data(payload)) else { return nil }
        self = samples
    }

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.seconds("swingAt", swingAt)
            json.seconds("startAt", startAt)
            json.seconds("impactAt", impactAt)
            json.seconds("from", from)
            acceleration.encode("acceleration", into: &json)
            rotationRate.encode("rotationRate", into: &json)
        }
    }
}

extension SwingSamples.Signal {
    func encode(_ key: StaticString, into json: inout JSONWriter) {
        json.object(key) { json in
            json.field("interval", interval)
            json.field("scale", scale)
            json.field("values", values.map { $0.map(Double.init) })
        }
    }
}
