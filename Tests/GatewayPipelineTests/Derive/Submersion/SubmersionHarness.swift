import GatewayPipeline
import TelemetryModel

/// A derivation fed by hand, and all that came out of it.
struct SubmersionHarness {
    var derivation = SubmersionDerivation()
    var settings: SubmersionSettings
    var events: [DerivedEvent] = []

    init(maximumDepth: Double = 40, configure: (inout SubmersionSettings) -> Void = { _ in }) {
        settings = SubmersionSettings(maximumDepth: maximumDepth)
        // Most tests are about changes.
        settings.refreshSeconds = 0
        configure(&settings)
    }

    mutating func measure(_ depth: Double?, _ seconds: Double, says reported: DepthState? = nil) {
        feed(measurements: [SubmersionMeasurement(time: DeviceTime(seconds), depth: depth, submersionState: reported)])
    }

    /// One measurement after the other, `every` seconds apart.
    mutating func measure(_ depths: [Double], from start: Double, every interval: Double = 1) {
        for (index, depth) in depths.enumerated() { measure(depth, start + Double(index) * interval) }
    }

    mutating func event(_ state: SubmersionState, _ seconds: Double) {
        feed(events: [SubmersionEvent(time: DeviceTime(seconds), state: state)])
    }

    mutating func temperature(_ celsius: Double, _ uncertainty: Double, _ seconds: Double) {
        let sample = WaterTemperatureSample(time: DeviceTime(seconds), temperature: celsius, uncertainty: uncertainty)
        feed(temperatures: [sample])
    }

    mutating func feed(
        events list: [SubmersionEvent] = [], measurements: [SubmersionMeasurement] = [],
        temperatures: [WaterTemperatureSample] = [], errors: [SubmersionError] = []
    ) {
        let samples = SubmersionSamples(
            events: list, measurements: measurements, temperatures: temperatures, errors: errors)
        derivation.consume(samples, settings: settings, into: &events)
    }

    mutating func wait(until seconds: Double) {
        derivation.fire(until: DeviceTime(seconds), settings: settings, into: &events)
    }

    mutating func interrupt(_ cause: DepthCause, _ seconds: Double) {
        derivation.interrupt(cause: cause, at: DeviceTime(seconds), settings: settings, into: &events)
    }

    var changes: [DepthStateChange] { events.compactMap(\.depthState) }
    var states: [DepthState] { changes.map(\.state) }
    var qualities: [Quality] { events.filter { $0.depthState != nil }.map(\.quality) }
    var dives: [Dive] { events.compactMap(\.dive) }
    var last: DerivedEvent? { events.last { $0.depthState != nil } }

    /// Entries into `state` or deeper; leaving `unknown` is one only where nothing was known before in this boot.
    func entries(into state: DepthState) -> Int {
        let isFirstKnown = changes.firstIndex { $0.state != .unknown }
        return changes.indices.filter {
            let change = changes[$0]
            guard change.state >= state, change.previous < state else { return false }
            return change.previous != .unknown || $0 == isFirstKnown
        }.count
    }
}

extension DerivedEvent {
    var depthState: DepthStateChange? {
        body as? DepthStateChange
    }

    var dive: Dive? {
        body as? Dive
    }

    var waterTemperature: WaterTemperature? {
        body as? WaterTemperature
    }
}
