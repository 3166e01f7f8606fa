package import TelemetryModel

/// Counts, segments and timers.
extension PedometerDerivation {
    /// Begins a count at `time`; an open segment ends there.
    mutating func begin(
        at time: Double, isMoving: Bool, _ settings: PedometerSettings, into events: inout [DerivedEvent]
    ) {
        if timeline != nil {
            advance(until: time, settings, into: &events)
            if segment != nil { close(at: time, takesLate: false, settings, into: &events) }
        }
        open = open.filter { $0.end > time }.map { $0.after(time) }
        totals = PaceTotals(open)
        countStart = time
        endedSeconds = 0
        (pausedSteps, pausedSince) = (0, nil)
        isOver = false
        if timeline == nil {
            timeline = MovingTimeline(start: time, isMoving: isMoving)
        } else {
            timeline?.restart(at: time, isMoving: isMoving)
        }
        segment = isMoving ? OpenSegment(start: time, firstSequence: sequence) : nil
    }

    /// Has what a workout began before the first frame begin with that frame, which is `first`: when a segment is published, the history may
    /// have dropped it.
    mutating func number(_ first: UInt64) {
        if segment?.firstSequence == nil { segment?.firstSequence = first }
        timeline?.number(first)
    }

    /// Follows the workout: a running one begins a count, a paused one pauses it, the end of one ends it.
    mutating func follow(_ change: WorkoutChange, _ settings: PedometerSettings, into events: inout [DerivedEvent]) {
        let time = change.time.seconds
        let before = workout
        // A repeated change is none.
        guard change.state != before || time > workoutSince else { return }
        (workout, workoutSince) = (change.state, time)
        switch change.state {
        case .running where before == .paused:
            _ = timeline?.insert(.init(time: time, isMoving: true, cause: .workout, sequence: sequence))
        case .running:
            begin(at: time, isMoving: usesEvents, settings, into: &events)
            return publish(at: time, cause: .workout, settings, into: &events)
        case .paused: pause(at: time, .workout, settings, into: &events)
        case .ended, .stopped:
            guard timeline != nil, !isOver, before == .running || before == .paused else { return }
            pause(at: time, .workout, settings, into: &events)
            isOver = true
        default: return
        }
        announce(at: max(time, newest ?? time), settings, into: &events)
    }

    /// Settles the oldest marks where there are too many.
    mutating func boundMarks(_ settings: PedometerSettings, into events: inout [DerivedEvent]) {
        guard let timeline, timeline.isFull, let oldest = timeline.marks.first else { return }
        advance(until: oldest.time, settings, into: &events)
    }

    /// Settles what is older than `limit`: opens and closes segments, and gives them what was counted.
    mutating func advance(until limit: Double, _ settings: PedometerSettings, into events: inout [DerivedEvent]) {
        while let mark = timeline?.settleNext(until: limit) {
            if mark.isMoving {
                resumeSegment(at: mark)
            } else {
                // A device notices a pause late, a workout is paused at once.
                close(at: mark.time, takesLate: mark.cause != .workout, settings, into: &events)
            }
        }
        if segment != nil {
            absorb(until: limit, settings)
        } else {
            dropPaused(until: limit)
        }
        heights.drop(before: min(limit, open.first?.start ?? limit))
    }

    /// The segment begins with the frame that brought the mark: a timer may settle the mark, or any later frame.
    private mutating func resumeSegment(at mark: MovingTimeline.Mark) {
        let time = mark.time
        if segment != nil {
            // The presumption that the count began with movement was wrong.
            segment?.restart(at: time)
        } else {
            dropPaused(until: time)
            open = open.map { $0.start < time ? $0.part(1, from: time) : $0 }
            segment = OpenSegment(start: time, firstSequence: mark.sequence ?? sequence)
        }
        (pausedSteps, pausedSince) = (0, nil)
    }

    /// Counts of a pause belong to no segment.
    private mutating func dropPaused(until time: Double) {
        while let first = open.first, first.end <= time {
            if first.steps > 0 {
                pausedSince = pausedSince ?? first.start
                pausedSteps += first.steps
            }
            open.removeFirst()
        }
    }

    private mutating func absorb(until limit: Double, _ settings: PedometerSettings) {
        while let first = open.first, first.end <= limit {
            take(first, moving: first.duration)
            open.removeFirst()
        }
        guard let start = segment?.start else { return }
        segment?.climb.sumHeights(from: start, to: limit, heights: heights, hysteresis: settings.hysteresisMeters)
    }

    private mutating func take(_ stretch: StepStretch, moving seconds: Double) {
        segment?.add(stretch, moving: seconds, isSparse: OpenSegment.isSparse(stretch), heights: heights)
    }

    /// How long after a pause counts may still be of the movement before it, in s: much less than `settleSeconds`, so that they
    /// have arrived when it is settled.
    private static let noticeSeconds = 5.0

    /// Ends the segment at `end`, gives it its share of what is open, and publishes it. With `takesLate` it also gets what was
    /// counted right after.
    private mutating func close(
        at end: Double, takesLate: Bool, _ settings: PedometerSettings, into events: inout [DerivedEvent]
    ) {
        guard segment != nil else { return }
        absorb(until: end, settings)
        var kept: [StepStretch] = []
        for stretch in open {
            let after = timeline?.movingTime(from: max(stretch.start, end), to: stretch.end) ?? 0
            if stretch.start < end {
                let before = end - stretch.start
                var part = stretch.part(before / (before + after), from: stretch.start)
                part.end = end
                segment?.add(part, moving: before, isSparse: OpenSegment.isSparse(stretch), heights: heights)
                if after > 0 { kept.append(stretch.part(after / (before + after), from: end)) }
            } else if takesLate, after == 0, stretch.end <= end + min(Self.noticeSeconds, settings.settleSeconds) {
                // Measured before the device had noticed the pause.
                segment?.add(stretch, moving: 0, isSparse: false, heights: heights)
                if stretch.steps > 0 {
                    pausedSince = pausedSince ?? stretch.start
                    pausedSteps += stretch.steps
                }
            } else {
                kept.append(stretch)
            }
        }
        open = kept
        guard let ended = segment?.ended(at: end, heights: heights, settings: settings) else { return }
        let firstSequence = segment?.firstSequence
        segment = nil
        endedSeconds += ended.duration
        publish(ended, firstSequence, into: &events)
    }

    private mutating func publish(_ ended: Segment, _ firstSequence: UInt64?, into events: inout [DerivedEvent]) {
        guard newest != nil, ended.duration > 0 || ended.steps > 0 else { return }
        var event = DerivedEvent(time: ended.end, span: ended.start...ended.end, body: ended)
        if let firstSequence { event.frames = .from(firstSequence) }
        events.append(event)
        guard let attempt = hills.add(ended) else { return }
        event.body = attempt
        events.append(event)
    }

    // MARK: Time

    /// The earliest of: a mark that settles, a pause for want of steps, silence, and the end for want of data.
    package func due(settings: PedometerSettings) -> DeviceTime? {
        dues(settings).compactMap(\.self).min().map { DeviceTime($0) }
    }

    private func dues(_ settings: PedometerSettings) -> [Double?] {
        guard let timeline else { return [] }
        let settle = timeline.marks.first.map { mark in
            // Where data are missing before a mark, they may still come.
            let isBehind = counter?.end.map { $0 < mark.time - settings.silenceSeconds } ?? false
            return mark.time + (isBehind ? settings.endSeconds : settings.settleSeconds)
        }
        guard timeline.isMoving, let newest else { return [settle] }
        let last = max(lastStep ?? newest, timeline.since)
        return [
            settle, usesEvents || report.isSilent ? nil : last + settings.pauseSeconds + settings.lagAllowanceSeconds,
            report.isSilent ? nil : newest + settings.silenceSeconds + settings.lagAllowanceSeconds,
            newest + settings.endSeconds + settings.lagAllowanceSeconds,
        ]
    }

    /// Settles marks, and ends movement that no data show any more.
    package mutating func fire(until now: DeviceTime, settings: PedometerSettings, into events: inout [DerivedEvent]) {
        while let due = due(settings: settings)?.seconds, due <= now.seconds {
            let dues = dues(settings)
            if dues[0] == due {
                advance(until: timeline?.marks.first?.time ?? due, settings, into: &events)
            } else if dues[1] == due {
                pause(at: lastStep ?? newest ?? due, .steps, settings, into: &events)
                announce(at: due, settings, into: &events)
            } else if dues[2] == due {
                report.isSilent = true
                publish(at: due, cause: .silence, settings, into: &events)
            } else {
                end(settings, into: &events)
            }
        }
    }

    /// Ends what is open with the last data.
    mutating func end(_ settings: PedometerSettings, into events: inout [DerivedEvent]) {
        guard let timeline else { return }
        let last = max(newest ?? countStart, timeline.since)
        if timeline.isMoving {
            pause(at: last, .silence, settings, into: &events)
            report.announcedUntil = max(report.announcedUntil, last.nextUp)
        }
        if report.state == .moving {
            report.isSilent = true
            publish(at: last, cause: .silence, settings, into: &events)
        }
        advance(until: .infinity, settings, into: &events)
    }
}
