import SignalProcessing
import TelemetryModel

/// The parameters of impact detection, computed once a frame.
struct ImpactTuning {
    var axis: ImpactAxis
    var highPass: FilterSection
    var threshold: Double
    var refractory: Double
    var longestStep: Double
    var settling: Double

    init(_ settings: SwingSettings) {
        axis = settings.impactAxis
        // The nominal rate is used: the intervals of a batch alternate by 1.6 %, which moves the corner by less, while using them
        // would add the jitter of the timestamps as noise.
        highPass = .highPass(hertz: settings.highPassHertz, sampleHertz: settings.accelerometerHertz)
        threshold = settings.impactThresholdG
        refractory = settings.refractorySeconds
        longestStep = Self.longestStepIntervals / settings.accelerometerHertz
        settling = 1 / settings.highPassHertz
    }

    /// Over 10 ms at 800 Hz the acceleration of the recorded rally changes by up to 2.2 G without an impact; over 50 ms
    /// by 3.3 G, too close to the threshold.
    private static let longestStepIntervals = 8.0
}

/// Detects impacts in an accelerometer stream and records which samples arrived.
///
/// A sample counts when the high-passed signal is over the threshold: upwards for the magnitude, which an impact raises, in
/// either sense for an axis. Of those within the refractory time the greatest unfiltered one is the impact, because the filter's
/// own greatest output lies up to 7 ms beside it in the recorded rally.
///
/// Where samples are missing the filter restarts, settled at the first value. For one period of its corner after that nothing is
/// an impact: ringing there may come from an impact within the gap.
struct ImpactFinder: Sendable, Equatable, Codable {
    private var filter: HighPassState?
    private var filterStart = 0.0
    private var picker = RefractoryPeak()
    private(set) var ledger = SampleLedger()
    private(set) var newest: Double?

    /// The impact that a greater one may still replace.
    var pending: SignalPeak? { picker.pending }

    /// Processes one sample, in G; returns the impact that it makes final. A sample not later than the newest is ignored.
    mutating func step(time: Double, _ x: Double, _ y: Double, _ z: Double, _ tuning: ImpactTuning) -> SignalPeak? {
        guard time > newest ?? -.infinity else { return nil }
        let isTorn = time - (newest ?? -.infinity) > tuning.longestStep
        newest = time

        let magnitude = min((x * x + y * y + z * z).squareRoot(), .greatestFiniteMagnitude)
        let input: Double =
            switch tuning.axis {
            case .magnitude: magnitude
            case .x: x
            case .y: y
            case .z: z
            }
        // Without the bound one faulty sample would ring in the filter for seconds; no wrist reaches it.
        let bounded = min(max(input, -1e4), 1e4)
        if isTorn { (filter, filterStart) = (nil, time) }
        var filter = self.filter ?? HighPassState(settledAt: bounded, tuning.highPass)
        let output = filter.step(bounded, tuning.highPass)
        self.filter = filter

        let level = tuning.axis == .magnitude ? output : abs(output)
        ledger.record(time: time, value: magnitude, level: level, longestStep: tuning.longestStep)
        let qualifies = level > tuning.threshold && time - filterStart >= tuning.settling
        return picker.step(time: time, qualifying: qualifies ? abs(input) : nil, refractory: tuning.refractory)
    }

    /// Whether every impact up to `time` is final and every sample up to it has arrived.
    func isSettled(to time: Double) -> Bool {
        guard let newest, newest >= time else { return false }
        return picker.pending.map { $0.time > time } ?? true
    }

    /// Drops what the ledger has of the time before `time`, in seconds, but for a moment: a stretch covers a little more than its samples.
    mutating func forget(before time: Double) { ledger.forget(before: time - Self.moment) }

    private static let moment = 0.1

    /// Makes the pending impact final without waiting.
    mutating func flush() -> SignalPeak? { picker.flush() }
}
