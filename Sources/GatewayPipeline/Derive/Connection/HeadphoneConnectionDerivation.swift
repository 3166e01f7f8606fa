package import TelemetryModel

/// `connection/headphone`: headphones that connect, disconnect, fall silent and hand over to each other.
///
/// A gap between two samples gives the same result as a timer: frames may be cut anywhere.
package struct HeadphoneConnectionDerivation: Derivation {
    /// The input of a headphone connection; either case may be ahead of or behind the other in device time.
    package enum Input: Sendable {
        /// Motion of the headphones; samples not later than those before are ignored.
        case samples(MotionSamples)
        /// What the device reports.
        case event(HeadphoneConnectionEvent)
    }

    /// `connection.headphone`.
    package static let declaration = DerivationDeclaration(
        "connection.headphone", version: 1, streams: [.headphoneMotion, .headphoneConnection], kinds: [ConnectionChange.self],
        paths: ["connection/headphone"],
        "Headphones that come, go, send nothing any more and hand over to each other.")

    private var track = ConnectionTrack(.headphone)
    /// The location of the last sample since the last disconnect, if that was a headphone.
    private var location: SensorLocation?

    /// Nothing known.
    package init() {}

    /// Publishes the transitions that follow from the samples or the report.
    package mutating func consume(_ input: Input, settings: HeadphoneConnectionSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .samples(let samples):
            for index in 0..<samples.count {
                let time = DeviceTime(samples.timestamp[index])
                guard track.resume(at: time, limit: settings.limit, into: &events) else { continue }
                follow(samples.location(at: index), at: time, into: &events)
            }
        case .event(let report):
            switch report.event {
            case .didConnect: track.connect(at: report.time, limit: settings.limit, into: &events)
            case .didDisconnect: track.disconnect(at: report.time, limit: settings.limit, into: &events)
            }
            if track.state == .disconnected { location = nil }
        }
    }

    /// The samples or the report.
    package static func input(of frame: NormalizedFrame, settings: HeadphoneConnectionSettings) -> Input? {
        switch frame.body {
        case .headphoneMotion(let samples): .samples(samples)
        case .headphoneConnection(let event): .event(event)
        default: nil
        }
    }

    /// Processes frames. Headphones that were connected are silent with the end of a boot or run: the next one may be without them, and
    /// timers may not have fired.
    package mutating func take(
        _ occurrence: Occurrence, settings: HeadphoneConnectionSettings, into output: inout DerivationOutput
    ) {
        switch occurrence {
        case .frame(let frame):
            if let input = Self.input(of: frame, settings: settings) { consume(input, settings: settings, into: &output.events) }
        case .interruption(.reboot, let time), .interruption(.newRun, let time):
            track.fallSilent(at: time, limit: settings.limit, into: &output.events)
        default: break
        }
    }

    /// The last sample plus the silence limit, while connected.
    package func due(settings: HeadphoneConnectionSettings) -> DeviceTime? { track.due(limit: settings.limit) }

    /// Publishes `silent`, at its due time.
    package mutating func fire(until now: DeviceTime, settings: HeadphoneConnectionSettings, into events: inout [DerivedEvent]) {
        track.expire(until: now, limit: settings.limit, into: &events)
    }

    /// Compares with the last headphone that data came from; `default` names no headphone and is ignored.
    private mutating func follow(
        _ next: SensorLocation, at time: DeviceTime, into events: inout [DerivedEvent]
    ) {
        guard next != .default, next != location else { return }
        if let location { track.handOver(from: location, to: next, at: time, into: &events) }
        location = next
    }
}
