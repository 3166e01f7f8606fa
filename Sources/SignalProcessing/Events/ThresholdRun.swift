/// The limits that define a run of a signal above a threshold.
package struct RunLimits: Sendable, Equatable {
    /// The threshold that |signal| exceeds throughout; above 0.
    package var threshold: Double
    /// The shortest stretch at or under the threshold, in seconds, that ends a run.
    package var interruption: Double
    /// The signal's nominal rate in Hz.
    package var hertz: Double

    /// A run over `threshold` that is ended by `interruption` seconds without it.
    package init(threshold: Double, interruption: Double, hertz: Double) {
        self.threshold = threshold
        self.interruption = interruption
        self.hertz = hertz
    }

    /// The time from a sample over the threshold to one under it, in seconds, past which an interruption is complete:
    /// half an interval short of it, because real intervals differ from the nominal one.
    package var patience: Double { interruption - 0.5 / hertz }

    /// The longest step in time, in seconds, that leaves less than an interruption unknown.
    package var longestStep: Double { interruption + 0.5 / hertz }
}

/// One stretch of a signal whose size stays above a threshold, but for short interruptions, with its samples.
package struct ThresholdRun: Sendable, Equatable, Codable {
    /// When the size crossed the threshold, in seconds, interpolated between two samples where both are known.
    package let start: Double
    /// Whether an interruption's worth of samples under the threshold came before the start.
    package let startIsKnown: Bool
    /// When the last sample over the threshold was, in seconds.
    package private(set) var end: Double
    /// The samples from the first one over the threshold to the one that ended the run.
    package private(set) var trace: SignalTrace
    /// The index in `trace` of the last sample over the threshold.
    package private(set) var lastOver: Int
    /// The time of the greatest |signal|, in seconds, and that size.
    package private(set) var peak: SignalPeak

    init(start: Double, startIsKnown: Bool, time: Double, value: Double) {
        self.start = start
        self.startIsKnown = startIsKnown
        end = time
        trace = SignalTrace(time: time, value: value)
        lastOver = 0
        peak = SignalPeak(time: time, value: abs(value))
    }

    mutating func append(time: Double, value: Double, threshold: Double) {
        trace.append(time: time, value: value)
        guard abs(value) > threshold else { return }
        end = time
        lastOver = trace.count - 1
        if abs(value) > peak.value { peak = SignalPeak(time: time, value: abs(value)) }
    }

    /// The signed integral from the start to the end, in the signal's unit times seconds.
    package func integral(threshold: Double) -> Double {
        let first = trace.value(0)
        let edge = first < 0 ? -threshold : threshold
        return (trace.time(0) - start) * (edge + first) / 2 + trace.integral(from: 0, to: lastOver)
    }
}
