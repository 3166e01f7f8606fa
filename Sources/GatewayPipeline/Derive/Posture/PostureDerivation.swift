internal import Foundation
internal import SignalProcessing
package import TelemetryModel

/// `posture`, and push-ups as `repetition` and `set`, from motion of headphones.
///
/// Only gravity is used: a yaw drifts. Neutral is the mean of the first calm time after the headphones were put on, or after the
/// command `calibratePosture`. A hand-over from ear to ear keeps it, a disconnect clears it.
package struct PostureDerivation: Derivation {
    /// The input of postures.
    package enum Input: Sendable {
        /// Motion of the headphones, and unix time minus device time.
        case samples(MotionSamples, offset: Double)
        /// A disconnect clears the neutral posture; a connect changes nothing.
        case connection(HeadphoneConnectionEvent)
        /// `calibratePosture`, given at this time.
        case calibrate(DeviceTime)
        /// Sets are numbered from 1 again.
        case resetCounts
    }

    /// `posture`.
    package static let declaration = DerivationDeclaration(
        "posture", version: 1, streams: [.headphoneMotion, .headphoneConnection, .command],
        kinds: [Posture.self, PostureSeries.self, Repetition.self, RepetitionSet.self], decidesAtEnd: true,
        "How a head is held, and push-ups, from motion of headphones.")

    private var sampler = EvenSampler<SIMD8<Double>>()
    private var neutral = NeutralPosture()
    /// Gravity, smoothed; nil after a gap.
    private var smoothed: SIMD3<Double>?
    private var state = Posture.State.unknown
    private var since = 0.0
    /// Another state that begins, and when it began, in s.
    private var next = Posture.State.unknown
    private var nextSince = 0.0
    /// The cell that was counted last, and those away from neutral on `day`.
    private var away = 0
    private var day = 0
    private var offset = 0.0
    private var pushUps = PushUpCount()
    private var published = 0
    private var sets = 0
    /// When the next sample of the series is due.
    private var seriesDue: DeviceTime?

    /// No sample.
    package init() {}

    /// The samples, a report of the headphones, or a command.
    package static func input(of frame: NormalizedFrame, settings: PostureSettings) -> Input? {
        switch frame.body {
        case .headphoneMotion(let samples): .samples(samples, offset: frame.offset)
        case .headphoneConnection(let event): .connection(event)
        case .command(.calibratePosture): .calibrate(frame.header.uptime)
        case .command(.resetCounts): .resetCounts
        default: nil
        }
    }

    /// Consumes frames; an interruption makes the posture unknown.
    package mutating func take(_ occurrence: Occurrence, settings: PostureSettings, into output: inout DerivationOutput) {
        switch occurrence {
        case .frame(let frame):
            guard let input = Self.input(of: frame, settings: settings) else { return }
            consume(input, settings: settings, into: &output.events)
        case .interruption(_, let time): lose(at: time.seconds, into: &output.events)
        default: break
        }
    }

    /// Takes one frame's samples, or what happened to the headphones.
    package mutating func consume(_ input: Input, settings: PostureSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .calibrate(let time): neutral.request(at: time.seconds)
        case .resetCounts: sets = 0
        case .connection(let event):
            guard event.event == .didDisconnect, neutral.disconnect(at: event.time.seconds) else { return }
            endSet(settings, into: &events)
            lose(at: event.time.seconds, into: &events)
        case .samples(let samples, let offset):
            self.offset = offset
            var series = PostureSeries()
            for index in samples.timestamp.indices {
                let cells = sampler.step(
                    time: samples.timestamp[index], HeadSample.values(samples, at: index), hertz: HeadSample.hertz,
                    longestGap: HeadSample.longestGap)
                for cell in cells { take(cell, settings, into: &series, &events) }
            }
            if let event = DerivedEvent(series: series) { events.append(event) }
        }
    }

    /// When a set of push-ups that gets no more samples has ended.
    package func due(settings: PostureSettings) -> DeviceTime? {
        guard pushUps.count > 0, let newest = sampler.newest else { return nil }
        return DeviceTime(newest) + settings.validSeconds
    }

    /// Ends the set, if that is due at `now`.
    package mutating func fire(until now: DeviceTime, settings: PostureSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now else { return }
        endSet(settings, into: &events)
    }

    // MARK: Cells

    private mutating func take(
        _ cell: EvenSampler<SIMD8<Double>>.Cell, _ settings: PostureSettings, into series: inout PostureSeries,
        _ events: inout [DerivedEvent]
    ) {
        if cell.isFirst {
            smoothed = nil
            // Where the head was in the gap is not known: what it leaves neutral for has to last again.
            next = .unknown
            neutral.interrupt()
        }
        guard let sample = HeadSample(cell.values) else { return }
        let time = (Double(cell.number) + 0.5) / HeadSample.hertz
        if neutral.take(sample, at: time, settings) { smoothed = sample.gravity }
        let share = 1 - exp(-1 / (settings.smoothingSeconds * HeadSample.hertz))
        let gravity = smoothed.map { $0 + (sample.gravity - $0) * share } ?? sample.gravity
        smoothed = gravity
        guard let direction = neutral.gravity else { return }
        let pitch = HeadSample.wrapped(HeadSample.pitch(of: gravity) - neutral.pitch)
        let roll = HeadSample.wrapped(HeadSample.roll(of: gravity) - neutral.roll)
        if DeviceTime(time).joinsSeries(hertz: settings.seriesHertz, due: &seriesDue) {
            let isCalm = sample.acceleration < settings.calmAccelerationG
            series.samples.append(.init(time: time, pitch: pitch, roll: roll, isCalm: isCalm))
        }
        follow(pitch: pitch, roll: roll, at: time, settings, into: &events)

        let angle = HeadSample.angle(sample.gravity, direction)
        pushUps.take(sample, cell: cell.number, angle: angle, isProne: angle > settings.proneDegrees * .pi / 180)
        guard cell.number % Int(HeadSample.hertz) == 0 else { return }
        if pushUps.update(settings) { reportPushUps(at: time, settings, into: &events) }
        // A push-up is found 1.6 s after its peak, and its period may grow by half.
        let patience = 1.5 * (pushUps.period ?? 2) + 3
        if pushUps.count > 0, pushUps.silence > patience { endSet(settings, into: &events) }
    }

    private mutating func follow(
        pitch: Double, roll: Double, at time: Double, _ settings: PostureSettings, into events: inout [DerivedEvent]
    ) {
        countAway(at: time)
        let found = posture(pitch: pitch, roll: roll, settings)
        if found != next { (next, nextSince) = (found, time) }
        guard found != state else { return }
        let isAway = found != .neutral
        guard !isAway || time - nextSince >= settings.holdSeconds - 1e-6 else { return }
        // The time of this day in which it was not certain yet counts, too.
        if isAway, state == .neutral || state == .unknown {
            away += Int((time - max(nextSince, 86_400 * Double(day) - offset)) * HeadSample.hertz)
        }
        (state, since) = (found, nextSince)
        events.append(
            DerivedEvent(
                time: DeviceTime(time), span: DeviceTime(nextSince)...DeviceTime(time),
                body: Posture(
                    state: found, pitch: pitch, roll: roll, since: DeviceTime(since),
                    awayToday: Double(away) / HeadSample.hertz)))
    }

    /// The posture of two angles: beyond the outer limit away, within the inner one neutral, as before in between.
    private func posture(pitch: Double, roll: Double, _ settings: PostureSettings) -> Posture.State {
        let greatest = max(abs(pitch), abs(roll)) * 180 / .pi
        if greatest < settings.backDegrees { return .neutral }
        guard greatest > settings.awayDegrees else { return state == .unknown ? .neutral : state }
        return abs(roll) > abs(pitch) ? .tilted : pitch < 0 ? .forward : .back
    }

    private mutating func countAway(at time: Double) {
        let today = Int(((time + offset) / 86_400).rounded(.down))
        if today != day { (day, away) = (today, 0) }
        if state != .neutral, state != .unknown { away += 1 }
    }

    /// The posture is not known from `time` on, in s.
    private mutating func lose(at time: Double, into events: inout [DerivedEvent]) {
        smoothed = nil
        next = .unknown
        guard state != .unknown else { return }
        (state, since) = (.unknown, time)
        events.append(
            DerivedEvent(
                time: DeviceTime(time),
                body: Posture(state: .unknown, since: DeviceTime(time), awayToday: Double(away) / HeadSample.hertz)))
    }

    // MARK: Push-ups

    private mutating func reportPushUps(at time: Double, _ settings: PostureSettings, into events: inout [DerivedEvent]) {
        guard pushUps.count > published, Double(pushUps.count) >= settings.minimumRepetitions,
            let set = pushUps.set(number: sets + 1)
        else { return }
        published = pushUps.count
        events.append(
            DerivedEvent(
                time: set.end, span: set.start...set.end, validUntil: DeviceTime(time) + settings.validSeconds,
                body: Repetition(
                    count: set.repetitions, set: set.set, lastAt: set.end, period: set.period, signal: set.signal,
                    exercise: set.exercise)))
    }

    private mutating func endSet(_ settings: PostureSettings, into events: inout [DerivedEvent]) {
        let set = pushUps.set(number: sets + 1)
        pushUps.clear()
        published = 0
        guard let set, Double(set.repetitions) >= settings.minimumRepetitions, set.period > 0 else { return }
        sets += 1
        events.append(DerivedEvent(time: set.end, span: set.start...set.end, body: set))
    }
}
