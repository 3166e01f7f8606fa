@testable import GatewayPipeline
import StateCoding
import TelemetryModel

/// The alarms of a derivation that is given messages of kinds.
struct AlarmBench {
    private var derivation = AlarmDerivation()
    var settings = AlarmSettings()
    private(set) var events: [DerivedEvent] = []
    /// Whether the state is written and read between all steps.
    var isStored = false

    /// Alarms by these rules alone.
    init(_ rules: [AlarmRule]) {
        let shipped = AlarmRule.shipped.map { rule in
            var rule = rule
            rule.isEnabled = false
            return rule
        }
        settings.written = shipped + rules
    }

    mutating func send(_ body: any DerivedBody, at time: Double, quality: Quality = .valid, validUntil: Double? = nil) throws {
        var event = DerivedEvent(
            time: DeviceTime(time), quality: quality, validUntil: validUntil.map { DeviceTime($0) }, body: body)
        event.frames = .named(UInt64(time)...UInt64(time))
        try step { derivation, settings, events in
            var output = DerivationOutput()
            derivation.take(.event(event, of: .submersion), settings: settings, into: &output)
            events += output.events
        }
    }

    mutating func depth(
        _ state: DepthState, from previous: DepthState = .submergedDeep, at time: Double, quality: Quality = .valid
    )
        throws
    {
        try send(DepthStateChange(state: state, previous: previous, cause: .sample), at: time, quality: quality)
    }

    /// Fires what is due at `time`: that waits 2 s for frames that come late.
    mutating func fire(until time: Double) throws {
        try step { derivation, settings, events in
            derivation.fire(until: DeviceTime(time + 2), settings: settings, into: &events)
        }
    }

    mutating func acknowledge(_ level: String, by person: String = "Ada", at time: Double) throws {
        let acknowledgement = AlarmAcknowledgement(level: level, person: person, at: UnixTime(1_000 + time))
        try step { derivation, settings, events in
            var output = DerivationOutput()
            derivation.take(.acknowledgement(acknowledgement, at: DeviceTime(time)), settings: settings, into: &output)
            events += output.events
        }
    }

    private mutating func step(_ body: (inout AlarmDerivation, AlarmSettings, inout [DerivedEvent]) -> Void) throws {
        body(&derivation, settings, &events)
        if isStored { derivation = try derivation.stored() }
    }

    /// What was published: the level, the state with its count, and the instant.
    var log: [String] {
        events.map { event in
            let time = Int(event.time.seconds)
            guard let alarm = event.body as? Alarm else { return "\((event.body as? AlarmEnd)?.level ?? "") ended \(time)" }
            return "\(alarm.level) \(alarm.state.rawValue)\(alarm.count > 1 ? " x\(alarm.count)" : "") \(time)"
        }
    }

    /// The `seq` of the frame that each is derived from: the second of its instant.
    var sources: [UInt64?] { events.map { $0.frames.range?.lowerBound } }

    var last: Alarm? { events.lazy.compactMap { $0.body as? Alarm }.last }
    var due: Double? { derivation.due(settings: settings)?.seconds }
}

extension AlarmDerivation {
    /// The state after it was written and read.
    fileprivate func stored() throws -> AlarmDerivation {
        try StateCoder.decode(AlarmDerivation.self, from: StateEncoder(doubles: [DeviceTime.self, UnixTime.self]).encode(self))
    }
}
