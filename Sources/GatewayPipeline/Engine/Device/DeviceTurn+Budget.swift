import Metrics
import TelemetryModel

/// The budget of a device: what its frames cost, and what is refused for that.
extension DeviceTurn {
    /// Counts a frame of this pipeline; returns whether it is refused because the device is over its budget.
    func countCost(of frame: NormalizedFrame, bytes: Int) -> Bool {
        guard owns(frame.stream) else { return false }
        let outcome = meter(frame.stream, frame.header) { meter in
            meter.count(
                .init(stream: frame.stream, bytes: bytes, samples: frame.body.sampleCount), of: frame.header,
                settings.budget.limits(of: meter.name), at: now.monotonic)
        }
        if let usage = outcome.usage { publishUsage(usage, of: frame.stream, frame.historyEntry, boot: frame.header.boot) }
        if outcome.isFoundTooFast { reportClockTooFast() }
        return outcome.isOver
    }

    /// Counts a message that is refused whatever it holds, by its header alone; false where it has to be read.
    ///
    /// A device over its budget goes on sending: a refused frame must cost much less than one that is used.
    func refusesUnread(_ known: KnownMessage) -> Bool {
        guard slot.state.budgets.isOver, let stream = known.stream, !stream.isExemptFromBudget, owns(stream),
            !known.message.retain, unreadRefusal(of: stream) != nil,
            let index = slot.state.budgets.index(of: settings.budget[stream]),
            let header = context.decoder.glance(at: known.message),
            slot.state.budgets.meters[index].refuses(header, at: now.monotonic)
        else { return false }
        if let sent = header.sent { context.counters.age.observe(now.unix - sent) }
        // A history has no order that its frames wait for: one that is refused may be sent again.
        let bytes = known.message.payload.count
        if stream == .recordedAccelerometer {
            countRefused(header, of: stream, bytes: bytes)
        } else {
            intake { intake, rules, actions in intake.refuse(header, of: stream, bytes: bytes, rules, into: &actions) }
        }
        return true
    }

    /// Why every frame of a stream is refused while the device is over its budget; nil where that is not published yet.
    private func unreadRefusal(of stream: StreamName) -> AccessReason? {
        if let standing = authorizer.standingRefusal(of: stream) { return standing.reason }
        return slot.state.decisions[stream]?.reason == .overBudget ? .overBudget : nil
    }

    /// Counts a message of so many bytes that was refused without being read.
    func countRefused(_ header: FrameHeader, of stream: StreamName, bytes: Int) {
        let reason = unreadRefusal(of: stream) ?? .overBudget
        context.counters[stream].refused[reason, default: 0] += 1
        guard reason == .overBudget else { return }
        let usage = meter(stream, header) { meter in
            meter.countRefused(header, bytes: bytes, settings.budget.limits(of: meter.name), at: now.monotonic)
        }
        noteRefused(header, of: stream)
        if let usage {
            let offset = header.sent.map { $0.seconds - header.uptime.seconds } ?? slot.state.intake.clock.latestOffset ?? 0
            let entry = FrameHistory.Entry(
                sequence: header.sequence, first: header.uptime, last: header.uptime, offset: offset, skew: nil)
            publishUsage(usage, of: stream, entry, boot: header.boot)
        }
    }

    /// Publishes that a stream is refused, and when it may be used again, unless that is known.
    func refuseForBudget(_ frame: NormalizedFrame) {
        let (seconds, isClockTooFast) = meter(frame.stream, frame.header) {
            ($0.secondsToResume(after: frame.header, at: now.monotonic), $0.isClockTooFast)
        }
        let sent = isClockTooFast ? now.unix : UnixTime(frame.header.uptime.seconds + frame.offset)
        decide(
            frame.stream, .overBudget, nil, resumesAt: seconds.map { sent + $0 },
            on: frame.stream == .recordedAccelerometer ? nil : frame)
        noteRefused(frame.header, of: frame.stream)
    }

    /// Remembers a refused frame until a `gap` tells it. One of a history is none: `committed` does not pass it, and it is told where it
    /// never comes.
    private func noteRefused(_ header: FrameHeader, of stream: StreamName) {
        guard stream != .recordedAccelerometer else { return }
        let from = header.boot == slot.state.boot.id ? slot.state.boot.histories[stream]?.latest?.last : nil
        slot.state.budgets.refused[stream, default: RefusedFrames()].add(header, from: from)
    }

    /// Publishes what was refused of a stream before a frame that is used.
    func reportRefused(before frame: NormalizedFrame) {
        guard !slot.state.budgets.refused.isEmpty, let refused = slot.state.budgets.refused.removeValue(forKey: frame.stream)
        else { return }
        let (gap, sequence) = refused.gap(of: frame.stream, to: frame.start, in: frame.header.boot)
        publishGap(gap, at: frame.start, sequence: sequence, entry: frame.historyEntry)
    }

    /// Publishes what was refused in a boot that ends at `time`, or in a recording.
    func reportRefused(at time: DeviceTime) {
        let refused = slot.state.budgets.refused.filter { $0.value.boot == slot.state.boot.id }
        for (stream, frames) in refused.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let (gap, sequence) = frames.gap(of: stream, to: time, in: slot.state.boot.id)
            publishGap(gap, at: time, sequence: sequence, entry: nil)
            slot.state.budgets.refused[stream] = frames.afterBoot()
        }
    }

    private func meter<Result>(
        _ stream: StreamName, _ header: FrameHeader, _ body: (inout BudgetMeter) -> Result
    ) -> Result {
        let index = slot.state.budgets.index(of: settings.budget[stream], header, at: now.monotonic)
        return body(&slot.state.budgets.meters[index])
    }

    /// Publishes the minute that ended with a frame of `entry`. A frame of a boot that is not entered has no time of the device's: by the
    /// wall clock it has, as one of a history.
    private func publishUsage(_ usage: Usage, of stream: StreamName, _ entry: FrameHistory.Entry, boot: BootID) {
        context.costliest.note(usage, of: device, at: now.monotonic)
        guard stream == .recordedAccelerometer || boot != slot.state.boot.id else {
            return publish(DerivedEvent(time: entry.first, body: usage), stream: stream, entry: entry)
        }
        send(
            messageOnWallClock(
                DerivedEvent(time: DeviceTime(entry.first.seconds + entry.offset), body: usage),
                source: .init(stream: stream, boot: boot, sequence: entry.sequence.map { $0...$0 }), version: 1))
    }

    private func reportClockTooFast() {
        context.counters.clocksTooFast += 1
        let rejection = Rejection(
            .clockTooFast, "the device's clock runs more than ten times as fast as the gateway's: its cost counts by arrival")
        report(rejection)
    }
}
