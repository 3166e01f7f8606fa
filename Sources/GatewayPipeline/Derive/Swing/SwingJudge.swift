import SignalProcessing
import TelemetryModel

/// A stretch of rotation that ends at its greatest impact.
struct SwingContact {
    /// The impact's index among the known ones.
    var impact: Int
    /// The rotation up to the impact.
    var approach: Approach
}

/// Decides a candidate by the data received until then.
struct SwingJudge {
    let settings: SwingSettings
    let limits: RunLimits

    init(_ settings: SwingSettings) {
        self.settings = settings
        limits = RunLimits(
            threshold: settings.candidateRate, interruption: settings.interruptionSeconds, hertz: settings.deviceMotionHertz)
    }

    /// The latest time of an impact inside a run: the end of the interruption after it.
    func reach(of run: ThresholdRun) -> Double { run.end + settings.interruptionSeconds }

    /// The impacts inside a candidate that are the contact of a swing, in order.
    ///
    /// Impacts at the end of one uninterrupted approach belong to one swing, and the greatest of them is its contact. Only where
    /// the rotation restarts after an impact is the next one another swing.
    func strokes(in candidate: SwingCandidate, impacts: [KnownImpact]) -> [SwingContact] {
        var strokes: [SwingContact] = []
        var previous = -Double.infinity
        for (index, impact) in impacts.enumerated() where isInside(impact, candidate) && !impact.isTaken {
            let approach = candidate.run.approach(to: impact.time, within: settings.lookBackSeconds, limits: limits)
            guard let approach else { continue }
            if let last = strokes.last, approach.start <= previous {
                if impact.peak > impacts[last.impact].peak {
                    strokes[strokes.count - 1] = SwingContact(impact: index, approach: approach)
                }
            } else {
                strokes.append(SwingContact(impact: index, approach: approach))
            }
            previous = impact.time
        }
        return strokes.filter { isSwing(abs($0.approach.integral)) }
    }

    func isInside(_ impact: KnownImpact, _ candidate: SwingCandidate) -> Bool {
        impact.time >= candidate.run.start && impact.time <= reach(of: candidate.run)
    }

    func hit(
        _ stroke: SwingContact, _ impact: KnownImpact, of candidate: SwingCandidate, ledger: SampleLedger, bat: BatTrace?
    ) -> DerivedEvent {
        let run = candidate.run
        let start = stroke.approach.start
        let accelerometer = ledger.coverage(from: start, to: impact.time, hertz: settings.accelerometerHertz)
        return event(
            at: impact.time, from: start, to: max(impact.time, run.end), impactAt: impact.time, acceleration: impact.peak,
            rate: run.peak.value, rotation: abs(stroke.approach.integral),
            coverage: min(accelerometer, stroke.approach.coverage),
            bat: bat?.swing(from: start, to: max(impact.time, run.end), impact: impact.time, peak: run.peak.time))
    }

    /// The miss of a candidate without an impact; nil unless all of it is known and there was no impact near it.
    func miss(_ candidate: SwingCandidate, ledger: SampleLedger, bat: BatTrace?) -> DerivedEvent? {
        let run = candidate.run
        let rotation = abs(run.integral(threshold: limits.threshold))
        let accelerometer = ledger.coverage(from: run.start, to: run.end, hertz: settings.accelerometerHertz)
        guard run.startIsKnown, candidate.endIsKnown, isSwing(rotation), accelerometer >= Self.fullCoverage,
            let greatest = ledger.greatest(from: run.start, to: run.end), greatest.level <= settings.impactThresholdG
        else { return nil }
        let motion = run.trace.coverage(from: 0, to: run.lastOver, hertz: settings.deviceMotionHertz)
        return event(
            at: run.peak.time, from: run.start, to: run.end, impactAt: nil, acceleration: greatest.value,
            rate: run.peak.value, rotation: rotation, coverage: min(accelerometer, motion),
            bat: bat?.swing(from: run.start, to: run.end, impact: nil, peak: run.peak.time))
    }

    /// The least accelerometer coverage, 0-1, that counts as full: an impact rings for longer than the rest of a swing.
    private static let fullCoverage = 0.98

    private func isSwing(_ rotation: Double) -> Bool {
        rotation >= settings.minimumRotation && rotation <= settings.maximumRotation
    }

    private func event(
        at time: Double, from start: Double, to end: Double, impactAt: Double?, acceleration: Double, rate: Double,
        rotation: Double, coverage: Double, bat: BatSpeed?
    ) -> DerivedEvent {
        var swing = Swing(
            impactAt: impactAt.map { DeviceTime($0) }, startAt: DeviceTime(start), peakAcceleration: acceleration,
            peakRotationRate: rate, accumulatedRotation: rotation,
            confidence: settings.confidence(peakRate: rate, rotation: rotation, coverage: coverage), coverage: coverage)
        if let bat {
            (swing.batSpeed, swing.batSpeedAtContact) = (bat.greatest, bat.atContact)
            (swing.isSaturated, swing.isCalibrated) = (bat.saturated, settings.batScale != 1)
        }
        return DerivedEvent(
            time: DeviceTime(time), span: DeviceTime(start)...DeviceTime(max(start, end)), body: swing)
    }
}
