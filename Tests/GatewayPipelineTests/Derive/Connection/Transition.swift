import GatewayPipeline
import TelemetryModel

/// A connection event in short, so that a test can list what it expects.
struct Transition: Equatable, CustomStringConvertible {
    var time: Double
    var previous: ConnectionState?
    var state: ConnectionState
    var cause: ConnectionCause

    init(_ time: Double, _ previous: ConnectionState?, _ state: ConnectionState, _ cause: ConnectionCause) {
        self.time = time
        self.previous = previous
        self.state = state
        self.cause = cause
    }

    /// Nil for an event of another kind. Times are rounded to the microsecond of message ids.
    init?(_ event: DerivedEvent) {
        guard let change = event.body as? ConnectionChange else { return nil }
        self.init(Double(event.time.microseconds) / 1e6, change.previous, change.state, change.cause)
    }

    var description: String { "\(time): \(previous.map(\.rawValue) ?? "nil") -> \(state) (\(cause))" }
}

extension [DerivedEvent] {
    /// The events as transitions.
    var transitions: [Transition] { compactMap(Transition.init) }

    /// The handovers among the events: when, from where, to where.
    var handovers: [Handover] {
        compactMap { event in
            guard let change = event.body as? ConnectionChange, change.cause == .handover else { return nil }
            return Handover(
                time: Double(event.time.microseconds) / 1e6, from: change.previousLocation, to: change.sensorLocation)
        }
    }
}

/// A handover in short.
struct Handover: Equatable {
    var time: Double
    var from, to: SensorLocation?
}
