import GatewayPipeline
import GatewayTestSupport
import TelemetryModel

/// Dives at random, at speeds a diver can have, with what may go wrong on request.
enum SubmersionWalk {
    /// Depths three times a second, with occasional gaps; no invalid data. With events, the water is entered and left at 0.1 m.
    static func entries(using random: inout SeededGenerator, count: Int, hasEvents: Bool = false) -> [SubmersionEntry] {
        var depth = 0.0
        var speed = 0.0
        var time = 100.0
        return (0..<count).flatMap { _ -> [SubmersionEntry] in
            let before = depth
            if Int.random(in: 0..<12, using: &random) == 0 { speed = Double.random(in: -2.5...2.5, using: &random) }
            let isGap = Int.random(in: 0..<60, using: &random) == 0
            let interval = isGap ? Double.random(in: 1...9, using: &random) : 1.0 / 3
            time += interval
            depth = min(max(depth + speed * interval, 0), 50)
            if depth == 0 { speed = abs(speed) / 4 }
            let surface = Double.random(in: 101...102, using: &random)
            let measurement = SubmersionMeasurement(time: DeviceTime(time), depth: depth, surfacePressure: surface)
            guard hasEvents, (before < 0.1) != (depth < 0.1) else { return [.measurement(measurement)] }
            let event = SubmersionEvent(time: DeviceTime(time), state: depth < 0.1 ? .notSubmerged : .submerged)
            return [.event(event), .measurement(measurement)]
        }
    }

    /// An invalid measurement.
    static func badMeasurement(at time: DeviceTime, using random: inout SeededGenerator) -> SubmersionMeasurement {
        let depths: [Double?] = [.nan, .infinity, -.infinity, -50, 1e308, -1e308, 12_000, nil, nil]
        let states: [DepthState?] = [nil, nil, .unknown, .notSubmerged, .submergedShallow]
        let pressures: [Double?] = [nil, nil, .nan, 1e308, -5]
        return SubmersionMeasurement(
            time: time, depth: depths.randomElement(using: &random) ?? nil,
            pressure: pressures.randomElement(using: &random) ?? nil, surfacePressure: 101.3,
            submersionState: states.randomElement(using: &random) ?? nil)
    }

    /// Depths, invalid data, events, temperatures and errors, by time.
    static func mixed(using random: inout SeededGenerator, count: Int) -> [SubmersionEntry] {
        entries(using: &random, count: count).flatMap { entry -> [SubmersionEntry] in
            let before = entry.time - 0.1
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return [.measurement(badMeasurement(at: before, using: &random)), entry]
            case 1:
                let state = SubmersionState.allCases.randomElement(using: &random) ?? .unknown
                return [.event(SubmersionEvent(time: entry.time, state: state)), entry]
            case 2...6:
                let celsius = Double.random(in: 2...30, using: &random)
                return [.temperature(.init(time: before, temperature: celsius, uncertainty: 1)), entry]
            case 7: return [.error(SubmersionError(time: before, code: Int.random(in: 90...120, using: &random))), entry]
            case 8:
                let depth = Double.random(in: 0...60, using: &random)
                return [.measurement(.init(time: before, depth: depth)), entry]
            default: return [entry]
            }
        }
    }
}

extension SubmersionHarness {
    mutating func feed(_ entry: SubmersionEntry) { feed([entry]) }

    /// All entries as one frame.
    mutating func feed(_ entries: [SubmersionEntry]) {
        var samples = SubmersionSamples()
        for entry in entries {
            switch entry {
            case .event(let event): samples.events.append(event)
            case .measurement(let measurement): samples.measurements.append(measurement)
            case .temperature(let temperature): samples.temperatures.append(temperature)
            case .error(let error): samples.errors.append(error)
            }
        }
        derivation.consume(samples, settings: settings, into: &events)
    }
}
