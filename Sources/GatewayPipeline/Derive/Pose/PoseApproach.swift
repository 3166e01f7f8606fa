import SignalProcessing

/// The angular speed on the way to a pose.
struct PoseApproach: Sendable, Equatable, Codable {
    /// How smooth the way was and how long it took.
    struct Result: Sendable, Equatable, Codable {
        /// The spectral arc length of the speed.
        var grace: Double
        /// Its length in s.
        var seconds: Double
    }

    /// The most samples that are kept: 20 s at 100 Hz.
    private static let capacity = 2_000
    /// How much of a stop is kept as the beginning of the movement after it, in s.
    private static let lead = 0.5
    /// The part of the greatest speed at which a movement begins and ends.
    private static let edge = 0.05

    private var times: [Double] = []
    private var speeds: [Float] = []
    private var stillSince: Double?

    /// Adds a sample: its time in s, the angular speed in rad/s, and the speed under which nothing moves.
    ///
    /// A stop shorter than `pause`, in s, is part of the movement; what is before a longer one is another movement.
    mutating func add(time: Double, speed: Double, still: Double, pause: Double) {
        stillSince = speed < still ? stillSince ?? time : nil
        if let stillSince, time - stillSince >= pause, let oldest = times.first, oldest < time - 2 * Self.lead {
            removeFirst { $0 >= time - Self.lead }
        }
        times.append(time)
        speeds.append(Float(speed))
        if times.count > Self.capacity {
            let oldest = times[times.count - Self.capacity]
            removeFirst { [first = max(time - 10, oldest)] in $0 >= first }
        }
    }

    /// Drops everything.
    mutating func removeAll() { self = Self() }

    /// The movement; nil where nothing moved faster than `still`.
    func result(still: Double) -> Result? {
        let speeds = speeds.map(Double.init)
        guard let greatest = speeds.max(), greatest > still,
            let fast = speeds.firstIndex(where: { $0 >= still }), let last = speeds.lastIndex(where: { $0 >= still })
        else { return nil }
        let least = Self.edge * greatest
        let begin = speeds[...fast].lastIndex { $0 < least } ?? 0
        let end = speeds[last...].firstIndex { $0 < least } ?? speeds.count - 1
        let seconds = times[end] - times[begin]
        guard seconds > 0,
            let grace = ArcLength.smoothness(of: Array(speeds[begin...end]), sampleHertz: Double(end - begin) / seconds)
        else { return nil }
        return Result(grace: grace, seconds: seconds)
    }

    private mutating func removeFirst(until isKept: (Double) -> Bool) {
        let first = times.firstIndex(where: isKept) ?? times.count
        times.removeFirst(first)
        speeds.removeFirst(first)
    }
}
