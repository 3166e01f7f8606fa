import TelemetryModel

/// Frames and samples that are missing. A gap is published at once, others of its stream within a second as one.
extension DeviceTurn {
    /// Counts and publishes frames that are missing.
    func publishMissing(_ missing: MissingFrames) {
        let count = Int(clamping: missing.count)
        // A producer's messages come to one lane, whatever streams they hold.
        let streams = missing.scope.stream == nil ? missing.streams : missing.streams.filter(owns)
        guard let first = streams.first else { return }
        context.counters[first].missingFrames.addSaturated(count)
        skipSampleGaps(of: streams)
        for stream in streams {
            let previous = slot.state.boot.histories[stream]?.latest
            let gap = Gap(
                stream: stream, unit: .frames, expected: count, received: 0, from: previous?.last ?? missing.before,
                to: missing.before, firstSequence: missing.first)
            publishGap(
                gap, at: missing.before, sequence: missing.first...(missing.first + (missing.count - 1)), entry: missing.entry)
        }
    }

    func publishSampleGaps(in batch: BatchedIMU, of frame: NormalizedFrame) {
        let halves: [Gap?] = [
            batch.accelerometer.flatMap {
                slot.state.boot.frames.accelerometerGaps
                    .consume($0.timestamp, hertz: settings.accelerometerHertz, stream: .batchedIMU)
            },
            batch.deviceMotion.flatMap {
                slot.state.boot.frames.deviceMotionGaps
                    .consume($0.timestamp, hertz: settings.deviceMotionHertz, stream: .batchedIMU)
            },
        ]
        for gap in halves.compactMap(\.self) {
            if owns(frame.stream) {
                context.counters[frame.stream].missingSamples.addSaturated(max(0, gap.expected.addingSaturated(-gap.received)))
            }
            publishGap(gap, at: gap.to, sequence: nil, entry: frame.historyEntry)
        }
    }

    /// Publishes no gap of samples at the next batch, where batches are among `streams`: what is missing was published in frames, or was refused.
    func skipSampleGaps(of streams: some Sequence<StreamName>) {
        guard streams.contains(.batchedIMU) else { return }
        slot.state.boot.frames.accelerometerGaps.skipJoin()
        slot.state.boot.frames.deviceMotionGaps.skipJoin()
    }

    /// Passes a gap on to what sums gaps, and publishes it: the first at once, others within a second as one. Of a stream that is refused, nothing
    /// is missing.
    func publishGap(_ gap: Gap, at time: DeviceTime, sequence: ClosedRange<UInt64>?, entry: FrameHistory.Entry?) {
        let event = DerivedEvent(time: time, frames: sequence.map { .named($0) } ?? .ofSpan, body: gap)
        guard authorizer.standingRefusal(of: gap.stream) == nil,
            let message = message(of: event, stream: gap.stream, entry: entry)
        else { return }
        if slot.state.budgets.gaps?.read(gap.stream, { $0.holds(at: now.monotonic) }) == true,
            let merged = MergedGap(gap, message)
        {
            var hasRoom = true
            _ = slot.state.budgets.gaps?.change(gap.stream) { hasRoom = $0.add(merged) }
            if !hasRoom { countOverLimit(message) }
        } else {
            slot.state.budgets.gaps = slot.state.budgets.gaps ?? [:]
            slot.state.budgets.gaps?[gap.stream] = GapTrack(publishedAt: now.monotonic)
            send(message, isLimited: false)
        }
        passOn(message, of: gap.stream)
    }

    func publishWaitingGaps(all: Bool) {
        for stream in slot.state.budgets.gaps?.keys ?? [] {
            guard let due = slot.state.budgets.gaps?[stream]?.due, all || due <= now.monotonic else { continue }
            var gaps: [MergedGap] = []
            _ = slot.state.budgets.gaps?.change(stream) { gaps = $0.take(at: now.monotonic) }
            for gap in gaps { send(gap.message(of: device, received: now.unix), isLimited: false) }
        }
    }
}
