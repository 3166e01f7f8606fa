/// Which changes of a fast value are shown: the first at once, then one in each interval, and always the last.
struct Thinning: Sendable {
    private let interval: Double
    private var shownAt: [String: Double] = [:]
    private var waiting: Set<String> = []

    /// `interval` in s.
    init(interval: Double) { self.interval = interval }

    /// Whether a change of `name` is shown at `now`, in s; else it waits.
    mutating func admits(_ name: String, at now: Double) -> Bool {
        if let shown = shownAt[name], now >= shown, now - shown < interval {
            waiting.insert(name)
            return false
        }
        shownAt[name] = now
        waiting.remove(name)
        return true
    }

    /// The names whose waiting changes are to be shown at `now`, in s.
    mutating func due(at now: Double) -> [String] {
        let candidates = waiting
        return candidates.filter { admits($0, at: now) }
    }

    /// Forgets a name.
    mutating func remove(_ name: String) {
        shownAt[name] = nil
        waiting.remove(name)
    }
}
