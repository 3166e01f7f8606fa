internal import SignalProcessing
package import TelemetryModel

extension SwingDerivation {
    /// What the wait is for.
    private enum Wait {
        /// More accelerometer samples, which might exceed the pending impact.
        case greaterImpact
        /// More rotation of an open run.
        case rotation
        /// Accelerometer samples that cover a candidate.
        case accelerometer
        /// The rotation around an impact.
        case claim(Int)
    }

    /// When the earliest wait is over: `waitSeconds` after the device time of the last data of the stream that is waited for, or
    /// that gave the candidate or the impact. Batches are a second long and one stream may lag, so waits counted from the event
    /// itself would end before the next batch.
    package func due(settings: SwingSettings) -> DeviceTime? {
        earliestWait(settings)?.due
    }

    /// Ends every wait that is over at `now`, and decides by the data received.
    ///
    /// An event's time is that of its impact or rotation, not the timer's.
    package mutating func fire(until now: DeviceTime, settings: SwingSettings, into events: inout [DerivedEvent]) {
        let judge = SwingJudge(settings)
        while let (due, wait) = earliestWait(settings), due <= now {
            switch wait {
            case .greaterImpact: flushImpact(settings, into: &events)
            case .rotation: cutRotation(settings)
            case .accelerometer:
                // While it waits, its impacts and its part of the ledger are kept.
                if let pending = finder.pending, pending.time <= judge.reach(of: waiting[0].run) {
                    flushImpact(settings, into: &events)
                }
                decide(waiting.removeFirst(), judge, into: &events)
            case .claim(let index): impacts[index].isTaken = true
            }
            decideSettled(judge, into: &events)
        }
        removeUnclaimableImpacts()
    }

    private func earliestWait(_ settings: SwingSettings) -> (due: DeviceTime, wait: Wait)? {
        var waits: [(since: Double, wait: Wait)] = []
        if finder.pending != nil { waits.append((times.accelerometer, .greaterImpact)) }
        if let candidate = waiting.first { waits.append((candidate.knownAt, .accelerometer)) }
        if let open = rotation.open, open.peak.value > settings.candidatePeak {
            waits.append((times.motion, .rotation))
        }
        let unclaimed = impacts.indices.first { !impacts[$0].isTaken && !rotationHasPassed(impacts[$0]) }
        if let unclaimed { waits.append((impacts[unclaimed].knownAt, .claim(unclaimed))) }
        return waits.min { $0.since < $1.since }.map { (DeviceTime($0.since) + settings.waitSeconds, $0.wait) }
    }

    private func rotationHasPassed(_ impact: KnownImpact) -> Bool {
        rotation.newest.map { $0 >= impact.time } ?? false
    }

    private mutating func flushImpact(_ settings: SwingSettings, into events: inout [DerivedEvent]) {
        guard let peak = finder.flush() else { return }
        publish(peak, axis: settings.impactAxis, into: &events)
    }

    private mutating func cutRotation(_ settings: SwingSettings) {
        guard let ended = rotation.cut() else { return }
        enqueue(ended, knownAt: times.motion, settings: settings)
    }
}
