internal import SignalProcessing
package import TelemetryModel

/// `punch`: peaks of a wrist's acceleration, in workouts of boxing.
///
/// Outside of such a workout a tennis stroke would count, so nothing does unless `always` is set. Of the two streams
/// in a batch the one with more samples is used.
package struct PunchDerivation: Derivation {
    /// The input of punches.
    package enum Input: Sendable, Equatable {
        /// Device motion.
        case motion(MotionSamples)
        /// A batch.
        case batch(BatchedIMU)
        /// A change of the workout.
        case workout(WorkoutChange)
        /// Counts start from zero.
        case resetCounts
    }

    /// `punch`.
    package static let declaration = DerivationDeclaration(
        "punch", version: 2, streams: [.deviceMotion, .batchedIMU, .workout, .command], kinds: [Punch.self],
        decidesAtEnd: true, "Punches and recoils, in workouts of boxing and the like.")

    /// The sources of samples, the one with the most last.
    private enum Source: Int, Sendable, Codable {
        case deviceMotion, batchedMotion, accelerometer
    }

    private var source: Source?
    private var samples = PunchSamples()
    private var picker = RefractoryPeak()
    /// Peaks whose recoil is not complete.
    private var open: [SignalPeak] = []
    /// Measured punches for which no workout is known yet.
    private var undecided: [Punch] = []
    /// The peaks of the last ten punches in G.
    private var recent: [Double] = []
    private var count = 0
    private var times = ActivityTimes()
    /// The last punch that shows boxing without a workout of it.
    private var strongAt: DeviceTime?
    private var workout: WorkoutState?

    /// How long a better source may be silent, in s, before another is used.
    private static let silence = 3.0
    /// After a step in time longer than this, in s, samples begin anew: no punch waits longer for its recoil, and the gap would lower
    /// their rate.
    private static let longestGap = 0.5
    private static let mostUndecided = 16
    /// How much more than the time before an impact, over which the speed is summed, is kept while no punch is open, in s.
    private static let moreSeconds = 0.05

    /// No sample.
    package init() {}

    /// The samples, a change of the workout, or the command `resetCounts`.
    package static func input(of frame: NormalizedFrame, settings: PunchSettings) -> Input? {
        switch frame.body {
        case .deviceMotion(let samples): .motion(samples)
        case .batchedIMU(let batch): .batch(batch)
        case .workout(let change): .workout(change)
        case .command(.resetCounts): .resetCounts
        default: nil
        }
    }

    /// Takes one frame's samples; those not later than the newest one before, or not finite, are ignored.
    package mutating func consume(_ input: Input, settings: PunchSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .motion(let motion): take(motion.timestamp, motion.userAcceleration, from: .deviceMotion, settings, into: &events)
        case .batch(let batch):
            // The better source first: otherwise the first batch would be measured by the other, however long it is.
            if let accelerometer = batch.accelerometer {
                take(accelerometer.timestamp, accelerometer.acceleration, from: .accelerometer, settings, into: &events)
            }
            if let motion = batch.deviceMotion {
                take(motion.timestamp, motion.userAcceleration, from: .batchedMotion, settings, into: &events)
            }
        case .workout(let change):
            if change.state == .running, workout != .paused, workout != .running { count = 0 }
            workout = change.state
            times.insert(change, counting: settings.activities)
            decide(settings, into: &events)
        case .resetCounts: count = 0
        }
    }

    /// When a punch that gets no more samples is measured with those received.
    package func due(settings: PunchSettings) -> DeviceTime? {
        guard picker.pending != nil || !open.isEmpty, let newest = samples.newest else { return nil }
        return DeviceTime(newest) + settings.waitSeconds
    }

    /// Measures what waits, if that is due at `now`.
    package mutating func fire(until now: DeviceTime, settings: PunchSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now else { return }
        measureAll(settings, into: &events)
    }

    // MARK: Samples

    private mutating func take(
        _ times: [Double], _ values: VectorColumns, from source: Source, _ settings: PunchSettings,
        into events: inout [DerivedEvent]
    ) {
        var first = times.startIndex
        if let begin = times.first, let last = times.last, picker.pending == nil, open.isEmpty, undecided.isEmpty,
            begin > samples.newest ?? -.infinity
        {
            if !settings.always, self.times.isOther(from: begin, to: last) { return }
            if isQuiet(times, values, from: source, settings) {
                // Nothing needs more than what precedes a punch of the next frame.
                let tail = settings.speedSeconds + Self.moreSeconds
                first = times.firstIndex { $0 >= last - tail } ?? first
                if first > times.startIndex { samples.removeAll() }
            }
        }
        for index in first..<times.count {
            let value = Self.user(values[index], from: source)
            take(value, at: times[index], from: source, settings, into: &events)
        }
        // A frame that is long enough holds all that a punch of the next one needs.
        if let begin = times.first, let last = samples.newest, picker.pending == nil, open.isEmpty {
            let tail = last - settings.speedSeconds - Self.moreSeconds
            if begin < tail { samples.keep(from: tail) }
        }
    }

    /// Whether no sample is a punch: so it is most of the time.
    private mutating func isQuiet(
        _ times: [Double], _ values: VectorColumns, from source: Source, _ settings: PunchSettings
    ) -> Bool {
        guard let first = times.first, first.isFinite, isUsed(source, at: first) else { return false }
        let limit = settings.thresholdG + (source == .accelerometer ? 1 : 0)
        return times.indices.allSatisfy { (values[$0] * values[$0]).sum() < limit * limit }
    }

    /// The acceleration without gravity. The accelerometer cannot tell gravity from motion: 1 G is taken off its length.
    private static func user(_ value: SIMD3<Double>, from source: Source) -> SIMD3<Double> {
        guard source == .accelerometer else { return value }
        let length = (value * value).sum().squareRoot()
        return length > 0 ? value * ((length - 1) / length) : value
    }

    private mutating func take(
        _ value: SIMD3<Double>, at time: Double, from source: Source, _ settings: PunchSettings,
        into events: inout [DerivedEvent]
    ) {
        // No sensor reaches the bound.
        let value = value.clamped(lowerBound: SIMD3(repeating: -1e4), upperBound: SIMD3(repeating: 1e4))
        let length = (value * value).sum().squareRoot()
        guard time.isFinite, length.isFinite, isUsed(source, at: time), time > samples.newest ?? -.infinity else { return }
        if let newest = samples.newest, time - newest > Self.longestGap {
            measureAll(settings, into: &events)
            samples.removeAll()
        }
        samples.append(time: time, value)
        let isPunch = length >= settings.thresholdG && length >= least(at: DeviceTime(time), samples.hertz, settings)
        let qualifying = isPunch ? length : nil
        let refractory = settings.refractorySeconds(at: samples.hertz)
        if let peak = picker.step(time: time, qualifying: qualifying, refractory: refractory) {
            open.append(peak)
        }
        if !open.isEmpty { measure(until: time - settings.recoilSeconds, settings, into: &events) }
        if let oldest = undecided.first, oldest.impactAt.seconds + settings.waitSeconds < time { undecided.removeFirst() }
    }

    /// The least acceleration of a punch at an instant, in G.
    private func least(at time: DeviceTime, _ hertz: Double, _ settings: PunchSettings) -> Double {
        let isBout = hertz < settings.smoothHertz && (strongAt.map { time - $0 <= settings.boutSeconds } ?? false)
        let isBoxing = !settings.always || times.contains(time) || isBout
        let floor = isBoxing ? settings.thresholdG : max(settings.thresholdG, settings.boutG)
        return max(floor, settings.leastShare(at: hertz) * (Statistics.median(recent) ?? 0))
    }

    /// Whether samples of `source` are used: of the best source that is not silent.
    private mutating func isUsed(_ source: Source, at time: Double) -> Bool {
        guard let current = self.source else {
            self.source = source
            return true
        }
        if source == current { return true }
        guard source.rawValue > current.rawValue || time - (samples.newest ?? time) > Self.silence else { return false }
        self.source = source
        return true
    }

    /// Measures all that waits with the samples received.
    private mutating func measureAll(_ settings: PunchSettings, into events: inout [DerivedEvent]) {
        if let peak = picker.flush() { open.append(peak) }
        if !open.isEmpty { measure(until: .infinity, settings, into: &events) }
    }

    /// Measures the peaks up to `time`, whose recoil is complete.
    private mutating func measure(until time: Double, _ settings: PunchSettings, into events: inout [DerivedEvent]) {
        while let peak = open.first, peak.time <= time {
            open.removeFirst()
            undecided.append(samples.punch(at: peak, count: 0, settings))
        }
        if undecided.count > Self.mostUndecided { undecided.removeFirst(undecided.count - Self.mostUndecided) }
        decide(settings, into: &events)
    }

    /// Publishes the punches that a workout allows; the others wait for a workout that arrives late.
    private mutating func decide(_ settings: PunchSettings, into events: inout [DerivedEvent]) {
        let allowed = undecided.filter { settings.always || times.contains($0.impactAt) }
        undecided.removeAll { allowed.contains($0) }
        for var punch in allowed {
            let least = least(at: punch.impactAt, Double(punch.sampleRate), settings)
            guard punch.peakAcceleration >= least else { continue }
            if punch.peakAcceleration >= settings.boutG { strongAt = punch.impactAt }
            punch.confidence = settings.confidence(punch.peakAcceleration / least)
            recent = (recent + [punch.peakAcceleration]).suffix(10)
            count += 1
            punch.count = count
            let start = punch.impactAt - settings.speedSeconds
            events.append(
                DerivedEvent(time: punch.impactAt, span: start...(punch.impactAt + settings.recoilSeconds), body: punch))
        }
    }
}
