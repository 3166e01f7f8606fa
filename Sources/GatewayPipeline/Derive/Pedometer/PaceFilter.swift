internal import SignalProcessing
import TelemetryModel

/// Smoothed speed and cadence.
struct PaceFilter: Sendable, Equatable, Codable {
    private var metersPerSecond: LowPass?
    private var stepsPerSecond: LowPass?
    /// The pace in s/m that the device stated last.
    private(set) var devicePace: Double?

    private static let leastSpeed = 0.2

    /// In s/m; nil under 0.2 m/s and without a measured distance.
    var pace: Double? { metersPerSecond.flatMap { $0.value >= Self.leastSpeed ? 1 / $0.value : nil } }

    /// In steps/s; nil before any data.
    var cadence: Double? { stepsPerSecond?.value }

    /// Adds what was counted.
    mutating func add(_ stretch: StepStretch, _ data: PedometerData, timeConstant: Double) {
        devicePace = data.currentPace
        let seconds = stretch.duration
        guard seconds > 0 else { return }
        Self.step(&stepsPerSecond, stretch.steps / seconds, seconds, timeConstant)
        guard let distance = stretch.distance else { return metersPerSecond = nil }
        Self.step(&metersPerSecond, distance / seconds, seconds, timeConstant)
    }

    private static func step(_ filter: inout LowPass?, _ value: Double, _ seconds: Double, _ timeConstant: Double) {
        guard value.isFinite else { return }
        guard timeConstant > 0, filter != nil else { return filter = LowPass(settledAt: value) }
        _ = filter?.step(value, interval: seconds, timeConstant: timeConstant)
    }

    /// After a pause nothing of before it counts.
    mutating func clear() { self = PaceFilter() }
}
