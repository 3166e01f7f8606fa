/// The latest samples of one signal, rounded to whole multiples of a scale.
struct SampleRing: Sendable, Equatable, Codable {
    /// How many seconds are kept: a swing, its wait for the other stream, and the time around it.
    private static let seconds = 8.0

    private let hertz: Double
    private let scale: Double
    private var times: [Double] = []
    private var values: [Int32] = []

    /// A ring for a signal of nominal rate `hertz`.
    init(hertz: Double, scale: Double) {
        self.hertz = hertz
        self.scale = scale
    }

    /// The time of the newest sample in s; nil before the first.
    var newest: Double? { times.last }

    /// Adds a sample later than those before; others are ignored.
    mutating func append(_ value: Double, at time: Double) {
        guard time > newest ?? -.infinity else { return }
        let limit = Int(Self.seconds * hertz)
        if times.count >= 2 * limit {
            times.removeFirst(times.count - limit)
            values.removeFirst(values.count - limit)
        }
        times.append(time)
        values.append(Int32(clamping: Int(exactly: (value / scale).rounded()) ?? 0))
    }

    /// The samples from `start` to `end` at even intervals: each stands at the place nearest to its time.
    func signal(from start: Double, to end: Double) -> SwingTrace.Signal {
        let count = max(0, Int(min((end - start) * hertz, Self.seconds * hertz).rounded(.down))) + 1
        var placed = [Int?](repeating: nil, count: count)
        for (time, value) in zip(times, values) where time >= start - 0.5 / hertz && time <= end {
            let place = Int(((time - start) * hertz).rounded())
            if placed.indices.contains(place) { placed[place] = Int(value) }
        }
        return SwingTrace.Signal(interval: 1 / hertz, scale: scale, values: placed)
    }
}
