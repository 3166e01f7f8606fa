/// The part of a run that leads to an instant: its start, its integral and its coverage.
package struct Approach: Sendable, Equatable {
    /// When the signal crossed the threshold, in seconds.
    package var start: Double
    /// The signed integral from the start to the instant, in the signal's unit times seconds.
    package var integral: Double
    /// Samples held over samples expected from the start to the instant, 0-1.
    package var coverage: Double
}

extension ThresholdRun {
    /// Searches backwards from `time`, at most `reach` seconds, for the point where the signal fails the threshold for an
    /// interruption.
    ///
    /// The signal must pass the threshold in the sense it has just before `time`: rotation in the other sense fails it, however
    /// fast. Where `reach` ends first, the start is the earliest sample within it. Nil when the signal has already failed at
    /// `time`, or the beginning is not known.
    package func approach(to time: Double, within reach: Double, limits: RunLimits) -> Approach? {
        guard let last = trace.index(atOrBefore: time) else { return nil }
        let sense = self.sense(before: time, last: last, within: limits.interruption)
        var first: Int?
        var earliest = time
        var startIsSeen = startIsKnown
        for index in stride(from: last, through: 0, by: -1) {
            let instant = trace.time(index)
            let hasFailed = earliest - instant > limits.patience && sense * trace.value(index) <= limits.threshold
            if hasFailed || time - instant > reach {
                startIsSeen = true
                break
            }
            if sense * trace.value(index) > limits.threshold {
                first = index
                earliest = instant
            }
        }
        guard let first, startIsSeen else { return nil }

        let start = crossing(before: first, sense: sense, threshold: limits.threshold)
        let head = (trace.time(first) - start) * (sense * limits.threshold + trace.value(first)) / 2
        let tail = (time - trace.time(last)) * trace.value(last)
        return Approach(
            start: start, integral: head + trace.integral(from: first, to: last) + tail,
            coverage: trace.coverage(from: first, to: last, hertz: limits.hertz))
    }

    private func sense(before time: Double, last: Int, within window: Double) -> Double {
        var sum = 0.0
        for index in stride(from: last, through: 0, by: -1) {
            guard time - trace.time(index) <= window else { break }
            sum += trace.value(index)
        }
        return sum < 0 ? -1 : 1
    }

    private func crossing(before first: Int, sense: Double, threshold: Double) -> Double {
        guard first > 0 else { return start }
        let under = sense * trace.value(first - 1)
        let over = sense * trace.value(first)
        let time = trace.time(first)
        guard under <= threshold else { return time }
        return time - (time - trace.time(first - 1)) * (over - threshold) / (over - under)
    }
}
