import SignalProcessing
import TelemetryModel

extension SwingDerivation {
    /// Publishes an impact, and keeps it for the swing it may belong to.
    mutating func publish(_ peak: SignalPeak, axis: ImpactAxis, into events: inout [DerivedEvent]) {
        impacts.append(KnownImpact(time: peak.time, peak: peak.value, knownAt: times.newest))
        removeUnclaimableImpacts()
        let time = DeviceTime(peak.time)
        events.append(
            DerivedEvent(
                time: time, body: Impact(impactAt: time, peakAcceleration: peak.value, axis: axis)))
    }

    /// Keeps a rotation that was fast enough until it can be decided; beyond the limit the oldest is dropped.
    mutating func enqueue(_ ended: ThresholdRunDetector.Ended, knownAt: Double, settings: SwingSettings) {
        guard ended.run.peak.value > settings.candidatePeak else { return }
        waiting.append(SwingCandidate(run: ended.run, endIsKnown: ended.endIsKnown, knownAt: knownAt))
        while waiting.reduce(0, { $0 + $1.run.trace.count }) > ThresholdRunDetector.capacity, waiting.count > 1 {
            waiting.removeFirst()
        }
    }

    /// Decides, in order, the candidates that accelerometer samples cover.
    mutating func decideSettled(_ judge: SwingJudge, into events: inout [DerivedEvent]) {
        while let candidate = waiting.first, finder.isSettled(to: judge.reach(of: candidate.run)) {
            waiting.removeFirst()
            decide(candidate, judge, into: &events)
        }
    }

    /// Publishes the result of a candidate: its hits, or a miss where there was no impact, or nothing.
    mutating func decide(_ candidate: SwingCandidate, _ judge: SwingJudge, into events: inout [DerivedEvent]) {
        guard impacts.contains(where: { judge.isInside($0, candidate) }) else {
            if let miss = judge.miss(candidate, ledger: finder.ledger, bat: bat) { events.append(miss) }
            return
        }
        for stroke in judge.strokes(in: candidate, impacts: impacts) {
            events.append(judge.hit(stroke, impacts[stroke.impact], of: candidate, ledger: finder.ledger, bat: bat))
        }
        for index in impacts.indices where judge.isInside(impacts[index], candidate) { impacts[index].isTaken = true }
    }

    /// Removes the impacts that cannot belong to a swing any more: those before any rotation that is open, waits or may still
    /// begin, and those from before the ledger, where no miss can be decided. What the ledger has of the time before is removed too: most of
    /// the time no rotation is open, and a state without it is a fifth as large.
    mutating func removeUnclaimableImpacts() {
        let claimable = waiting.first?.run.start ?? rotation.open?.start ?? rotation.newest
        if let claimable { finder.forget(before: claimable) }
        guard let earliest = claimable.greatest(finder.ledger.beginning) else { return }
        impacts.removeAll { $0.time < earliest }
    }
}
