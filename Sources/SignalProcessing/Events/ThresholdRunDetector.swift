/// Detects the runs of a signal, one sample at a time.
package struct ThresholdRunDetector: Sendable, Equatable, Codable {
    /// A run that has ended, and whether an interruption ended it rather than missing samples or its own length.
    package struct Ended: Sendable, Equatable, Codable {
        /// The run.
        package var run: ThresholdRun
        /// Whether the signal is known to have stayed under the threshold after the run.
        package var endIsKnown: Bool
    }

    /// The longest run in samples: 4 s at 200 Hz, 6.3 KiB. A longer one is cut, and what follows has no known start.
    package static let capacity = 800

    /// The run that has not ended.
    package private(set) var open: ThresholdRun?
    /// The time of the newest sample in seconds.
    package private(set) var newest: Double?
    private var before = 0.0
    private var unknownUntil = -Double.greatestFiniteMagnitude

    /// No sample yet.
    package init() {}

    /// Processes one sample, `time` in seconds; returns the run it ends. A sample not later than the newest is ignored, and NaN
    /// is under every threshold.
    package mutating func step(time: Double, value: Double, limits: RunLimits) -> Ended? {
        guard time > newest ?? -.infinity else { return nil }
        var ended: Ended?
        let isTorn = time - (newest ?? -.infinity) > limits.longestStep
        if isTorn { ended = interrupt(at: time) }
        defer { (newest, before) = (time, value) }

        guard open != nil else {
            if abs(value) > limits.threshold { open = begin(time: time, value: value, afterGap: isTorn, limits: limits) }
            return ended
        }
        open?.append(time: time, value: value, threshold: limits.threshold)
        return close(at: time, limits: limits)
    }

    /// Ends the open run where the samples stop; what follows has no known start.
    package mutating func cut() -> Ended? {
        newest.flatMap { interrupt(at: $0) }
    }

    private mutating func interrupt(at time: Double) -> Ended? {
        unknownUntil = time
        return exchange(&open, with: nil).map { Ended(run: $0, endIsKnown: false) }
    }

    private func begin(time: Double, value: Double, afterGap: Bool, limits: RunLimits) -> ThresholdRun {
        var start = time
        let size = abs(value)
        let sizeBefore = value < 0 ? -before : before
        if !afterGap, let newest, sizeBefore <= limits.threshold {
            start -= (time - newest) * (size - limits.threshold) / (size - sizeBefore)
        }
        return ThresholdRun(
            start: start, startIsKnown: time - unknownUntil > limits.patience, time: time, value: value)
    }

    private mutating func close(at time: Double, limits: RunLimits) -> Ended? {
        guard let run = open else { return nil }
        if time - run.end > limits.patience {
            open = nil
            return Ended(run: run, endIsKnown: true)
        }
        guard run.trace.count >= Self.capacity else { return nil }
        open = nil
        unknownUntil = time
        return Ended(run: run, endIsKnown: false)
    }
}
