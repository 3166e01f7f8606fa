import TelemetryModel

@testable import GatewayPipeline

extension BatchedIMU {
    /// The samples of `range`; a half with none is missing.
    func during(_ range: Range<Double>) -> BatchedIMU {
        BatchedIMU(
            accelerometer: accelerometer.map { $0.slice($0.timestamp.within(range)) }.flatMap { $0.count > 0 ? $0 : nil },
            deviceMotion: deviceMotion.map { $0.slice($0.timestamp.within(range)) }.flatMap { $0.count > 0 ? $0 : nil })
    }

    /// The samples cut into frames at `edges`.
    func cut(at edges: [Double]) -> [BatchedIMU] {
        let bounds = [-.greatestFiniteMagnitude] + edges.sorted() + [.infinity]
        return zip(bounds, bounds.dropFirst()).map { during($0..<$1) }
            .filter { $0.accelerometer != nil || $0.deviceMotion != nil }
    }

    /// A frame for every sample, in order of time.
    var singly: [BatchedIMU] { cut(at: (accelerometer?.timestamp ?? []) + (deviceMotion?.timestamp ?? [])) }
    /// The accelerometer half alone.
    var accelerometerOnly: BatchedIMU { BatchedIMU(accelerometer: accelerometer) }
    /// The device motion half alone.
    var motionOnly: BatchedIMU { BatchedIMU(deviceMotion: deviceMotion) }
}

extension [Double] {
    /// The indices of the increasing times in `range`.
    fileprivate func within(_ range: Range<Double>) -> Range<Int> {
        let lower = firstIndex { $0 >= range.lowerBound } ?? count
        return lower..<(firstIndex { $0 >= range.upperBound } ?? count)
    }
}

/// What follows from `frames`, by time, with every timer up to `end` fired afterwards.
func derive(
    _ frames: [BatchedIMU], settings: SwingSettings = SwingSettings(), firingUntil end: Double? = nil
) -> [DerivedEvent] {
    SwingDerivation.events(of: frames, settings, until: end).byTime
}

extension [DerivedEvent] {
    /// By time; an impact before the swing it belongs to.
    var byTime: [DerivedEvent] {
        enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// The impacts among them.
    var impacts: [Impact] {
        compactMap { $0.body as? Impact }
    }

    /// The swings among them.
    var swings: [Swing] {
        compactMap { $0.body as? Swing }
    }
}
