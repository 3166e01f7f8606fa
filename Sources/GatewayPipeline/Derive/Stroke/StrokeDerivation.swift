internal import SignalProcessing
package import TelemetryModel

/// Forehand and backhand from a wrist's device motion, by the rotation about gravity (WWDC16 session 713).
///
/// The signal is rotationRate . gravity, positive clockwise from above because gravity points down. A stroke's instant is the
/// fastest sample in the window that it was found in. A stroke within a gap in the data is not derived; the counts are kept over
/// the gap. An arm that swings in walking or running turns as far, so strokes count in workouts of racket sports only.
package struct StrokeDerivation: Derivation {
    /// The settings.
    package typealias Settings = StrokeSettings

    /// The input of strokes.
    package enum Input: Sendable, Equatable {
        /// A frame's samples and the wrist the device is on; without a known wrist no stroke is derived.
        case samples(MotionSamples, wrist: Side?)
        /// A change of the workout.
        case workout(WorkoutChange)
        /// Counts start from zero; a stroke not decided yet is the first of the new ones.
        case resetCounts
    }

    /// `stroke`.
    package static let declaration = DerivationDeclaration(
        "stroke", version: 2, streams: [.deviceMotion, .batchedIMU, .workout, .command], kinds: [Stroke.self],
        decidesAtEnd: true, "Forehands and backhands, and their counts, in workouts of racket sports.")

    /// Forehands since the counts were zero.
    package private(set) var forehandCount = 0
    /// Backhands since the counts were zero.
    package private(set) var backhandCount = 0

    private var window = MovingWindow()
    private var newest: Double?
    /// Whether a stroke was counted and no stillness followed yet.
    private var isHeld = false
    private var fastest = FastestTurn()
    /// Finds the turns by whose speed the threshold follows the player.
    private var learner = FastestTurn()
    /// The speeds of the last ten of them, in rad/s.
    private var recent: [Double] = []
    /// Strokes for which no workout is known yet.
    private var undecided: [FastTurn] = []
    private var times = ActivityTimes()

    private static let mostUndecided = 16

    /// Nothing counted yet.
    package init() {}

    /// The samples of a stream that strokes are counted from, a change of the workout, or the command `resetCounts`.
    package static func input(of frame: NormalizedFrame, settings: StrokeSettings) -> Input? {
        switch frame.body {
        case .command(.resetCounts): return .resetCounts
        case .workout(let change): return .workout(change)
        case .deviceMotion(let samples) where settings.streams.contains(.deviceMotion):
            return .samples(samples, wrist: settings.wrist.side)
        case .batchedIMU(let batch) where settings.streams.contains(.batchedIMU):
            return batch.deviceMotion.map { .samples($0, wrist: settings.wrist.side) }
        default: return nil
        }
    }

    /// Takes one frame's samples; those not later than the newest one before, or not finite, are ignored.
    package mutating func consume(_ input: Input, settings: StrokeSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .samples(let samples, let wrist):
            var fastAt = window.newest(over: settings.leastRate)
            for index in samples.timestamp.indices {
                let rate = (samples.rotationRate[index] * samples.gravity[index]).sum()
                step(time: samples.timestamp[index], rate: rate, wrist: wrist, fastAt: &fastAt, settings, into: &events)
            }
        case .workout(let change):
            times.insert(change, counting: settings.activities)
            decide(settings, into: &events)
        case .resetCounts: (forehandCount, backhandCount) = (0, 0)
        }
    }

    /// When an undecided stroke is decided without more samples.
    package func due(settings: StrokeSettings) -> DeviceTime? {
        guard fastest.pending != nil, let newest else { return nil }
        return DeviceTime(newest) + settings.waitSeconds
    }

    /// Decides the undecided stroke, if that is due at `now`; its time is that of its rotation, not the timer's.
    package mutating func fire(until now: DeviceTime, settings: StrokeSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now, let turn = fastest.flush() else { return }
        count(turn, settings, into: &events)
    }

    /// `fastAt` is when the newest sample was that is fast enough for a stroke: most of the time none is in the window, which then need not
    /// be summed.
    private mutating func step(
        time: Double, rate: Double, wrist: Side?, fastAt: inout Double?, _ settings: StrokeSettings,
        into events: inout [DerivedEvent]
    ) {
        let interval = time - (newest ?? -.infinity)
        guard time.isFinite, rate.isFinite, interval >= Self.shortestInterval else { return }
        newest = time
        if let oldest = undecided.first, oldest.peak.time + settings.waitSeconds < time { undecided.removeFirst() }
        if interval > min(settings.longestGapSeconds, (window.meanInterval ?? .infinity) * Self.longestGapIntervals) {
            window.removeAll()
        }
        // No gyroscope reaches the bound; it keeps sums of any input finite, as the state requires.
        window.append(time: time, value: min(max(rate, -1e6), 1e6), seconds: settings.windowSeconds)
        if window.isNewest(over: settings.leastRate) { fastAt = time }

        let isFast = (fastAt ?? -.infinity) >= window.start ?? .infinity
        let threshold = isFast ? settings.rateThreshold(after: recent) : 0
        var turn = isFast ? FastTurn(window, end: time, wrist: wrist, over: settings.leastRate, settings) : nil
        turn?.threshold = threshold
        switch settings.counting {
        case .untilStill(let rate): countOnce(turn, untilUnder: rate, settings, into: &events)
        case .fastest(let seconds):
            if let learned = learner.step(time: time, turn, within: seconds) {
                recent = (recent + [abs(learned.peak.value)]).suffix(10)
            }
            if let fast = turn, abs(fast.peak.value) <= threshold { turn = nil }
            if let picked = fastest.step(time: time, turn, within: seconds) {
                count(picked, settings, into: &events)
            }
        }
    }

    /// One or two missing samples, which a relayed stream has every few seconds, are bridged.
    private static let longestGapIntervals = 3.5

    /// At most 143 samples a second are used, which bounds the state: of device motion at 200 Hz every other sample.
    private static let shortestInterval = 0.007

    private mutating func countOnce(
        _ turn: FastTurn?, untilUnder rate: Double, _ settings: StrokeSettings, into events: inout [DerivedEvent]
    ) {
        if let turn, !isHeld {
            isHeld = true
            count(turn, settings, into: &events)
        }
        if isHeld, abs(window.mean(newest: settings.windowSeconds / 2) ?? 0) < rate {
            isHeld = false
            window.removeAll()
        }
    }

    private mutating func count(_ turn: FastTurn, _ settings: StrokeSettings, into events: inout [DerivedEvent]) {
        undecided.append(turn)
        if undecided.count > Self.mostUndecided { undecided.removeFirst() }
        decide(settings, into: &events)
    }

    /// Publishes the strokes that a workout allows; the others wait for a workout that arrives late.
    private mutating func decide(_ settings: StrokeSettings, into events: inout [DerivedEvent]) {
        let allowed = undecided.filter { settings.always || times.contains(DeviceTime($0.peak.time)) }
        guard !allowed.isEmpty else { return }
        undecided.removeAll { allowed.contains($0) }
        for turn in allowed { publish(turn, settings, into: &events) }
    }

    /// How likely a turn is a stroke of its name, by how far its speed is over the threshold.
    private static func confidence(_ turn: FastTurn, _ settings: StrokeSettings) -> Double {
        settings.confidence.share(at: abs(turn.peak.value) / turn.threshold)
    }

    private mutating func publish(_ turn: FastTurn, _ settings: StrokeSettings, into events: inout [DerivedEvent]) {
        guard let name = turn.name else { return }
        switch name {
        case .forehand: forehandCount += 1
        case .backhand: backhandCount += 1
        }
        events.append(
            DerivedEvent(
                time: DeviceTime(turn.peak.time), span: DeviceTime(turn.start)...DeviceTime(turn.end),
                body: Stroke(
                    stroke: name, accumulatedRotation: turn.yaw, peakRotationRate: turn.peak.value,
                    confidence: Self.confidence(turn, settings), forehandCount: forehandCount, backhandCount: backhandCount)))
    }
}
