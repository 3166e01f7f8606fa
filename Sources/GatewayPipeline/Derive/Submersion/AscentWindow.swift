package import TelemetryModel

/// The greatest ascent rate over a sliding window of depths.
///
/// The depth at the window's far end is interpolated, so the rate does not depend on how often depth is measured. At most 34
/// points are kept; depths between them are used once and not stored.
package struct AscentWindow: Codable, Sendable, Equatable {
    /// The greatest rate so far in m/s; 0 while nothing has risen for a whole window.
    package private(set) var greatest = 0.0
    /// In order of time.
    private var points: [DepthPoint] = []

    /// Takes the next depth; `seconds` is the length of the window, more than 0.
    package mutating func add(_ point: DepthPoint, over seconds: Double) {
        guard seconds > 0 else { return }
        while let last = points.last, last.time >= point.time { points.removeLast() }
        let from = point.time - seconds
        // Searched from the far end: it is among the first.
        let index = (points.firstIndex { $0.time > from } ?? points.count) - 1
        if index >= 0 {
            let next = index + 1 < points.count ? points[index + 1] : point
            greatest = max(greatest, (points[index].depth(at: from, towards: next) - point.depth) / seconds)
            points.removeFirst(index)
        }
        if let last = points.last, point.time - last.time < seconds / 32 { return }
        points.append(point)
    }

    /// Takes over the greatest rate of a later window, if that is greater.
    package mutating func join(_ next: Self) { greatest = max(greatest, next.greatest) }

    /// Discards the depths, as depth is no longer known, and keeps the greatest rate.
    package mutating func interrupt() { points = [] }
}

extension DepthPoint {
    /// The depth in m at `time` on the straight line to `next`; this depth where both are at one instant.
    package func depth(at time: DeviceTime, towards next: DepthPoint) -> Double {
        let interval = next.time - self.time
        guard interval > 0 else { return depth }
        return depth + (next.depth - depth) * ((time - self.time) / interval)
    }
}
