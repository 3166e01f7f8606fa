import JSONText
package import TelemetryModel

/// The query `samples`: the recorded acceleration of a device in a time, in the columns of a frame.
///
/// Request: `{"stream": "recorded-accelerometer", "from": …, "to": …, "interval": 1}`; with `interval` the means of so many seconds.
package struct SamplesQuery: Sendable, Equatable {
    /// The longest time in s.
    private static let longest = 36 * 3_600.0
    private static let intervals = 0.02...3_600.0

    /// The time.
    package let range: RequestRange
    /// The length of the means in s; nil for the samples themselves.
    package let interval: Double?

    init(_ body: JSONNode?) throws(RequestFailure) {
        do throws(Rejection) {
            range = try RequestRange(body, longest: Self.longest)
            if let stream = try body?.required("stream"), try stream.string() != StreamName.recordedAccelerometer.rawValue {
                throw stream.rejection(.invalidValue, "only recorded-accelerometer is kept")
            }
            interval = try body?.optional("interval").map { node throws(Rejection) in
                let interval = try node.number()
                guard Self.intervals.contains(interval) else {
                    throw node.rejection(.invalidValue, "\(interval) is not 0.02 to 3600 s")
                }
                return interval
            }
        } catch {
            throw RequestFailure(error)
        }
    }

    /// The minutes that have samples of it.
    package var minutes: Range<Int> {
        HistoryMinute.minute(of: range.from)..<HistoryMinute.minute(of: range.to) + 1
    }
}

/// Makes the parts of a reply to `samples` from the minutes of the device, in order.
package struct SampleParts {
    /// So many samples make about 150,000 bytes.
    private static let perPart = 2_048

    private struct Point {
        var microseconds: Int
        var identifier: Int64
        /// In parts of 10^11 G: 1/2048 G is a whole number of them.
        var x, y, z: Int64
    }

    private struct Mean {
        var bin: Int
        var count = 0
        var sum = SIMD3<Int64>()
    }

    private static let decimals = 11
    private static let scale: Int64 = 48_828_125

    private let query: SamplesQuery
    private let request: Request
    private var points: [Point] = []
    private var mean: Mean?
    private var number = 0
    private var coveredSeconds = 0
    private var lastSecond = -1

    /// The parts of the reply to `request`.
    package init(_ query: SamplesQuery, of request: Request) {
        self.query = query
        self.request = request
    }

    /// Adds the samples of a minute; returns the parts that are complete.
    package mutating func add(_ minute: HistoryMinute, at now: UnixTime) -> [Reply] {
        let (from, to) = (HistoryMinute.microseconds(query.range.from), HistoryMinute.microseconds(query.range.to))
        var replies: [Reply] = []
        for index in 0..<minute.count {
            let time = minute.minute * HistoryMinute.length + Int(minute.times[index])
            guard time >= from, time < to else { continue }
            if time / 1_000_000 != lastSecond {
                lastSecond = time / 1_000_000
                coveredSeconds += 1
            }
            let units = SIMD3(Int64(minute.x[index]), Int64(minute.y[index]), Int64(minute.z[index]))
            if let interval = query.interval {
                let bin = Int((Double(time - from) / (interval * 1e6)).rounded(.down))
                if mean?.bin != bin { closeMean(from) }
                mean = mean ?? Mean(bin: bin)
                mean?.count += 1
                mean?.sum &+= units
            } else {
                let scaled = units &* Self.scale
                points.append(
                    Point(microseconds: time, identifier: minute.identifiers[index], x: scaled.x, y: scaled.y, z: scaled.z))
            }
            // One more than a part: the last one is known to be the last.
            if points.count > Self.perPart { replies.append(part(Self.perPart, isLast: false, at: now)) }
        }
        return replies
    }

    /// The last part; `damaged` is what cannot be read.
    package mutating func finish(damaged: DamagedSpans = DamagedSpans(), at now: UnixTime) -> Reply {
        closeMean(HistoryMinute.microseconds(query.range.from))
        return part(points.count, isLast: true, damaged, at: now)
    }

    private mutating func closeMean(_ from: Int) {
        guard let mean, let interval = query.interval else { return }
        let number = Double(mean.count)
        func scaled(_ sum: Int64) -> Int64 { Int64((Double(sum) * Double(Self.scale) / number).rounded()) }
        points.append(
            Point(
                microseconds: from + Int(Double(mean.bin) * interval * 1e6), identifier: HistoryMinute.noIdentifier,
                x: scaled(mean.sum.x), y: scaled(mean.sum.y), z: scaled(mean.sum.z)))
        self.mean = nil
    }

    private mutating func part(
        _ count: Int, isLast: Bool, _ damaged: DamagedSpans = DamagedSpans(), at now: UnixTime
    ) -> Reply {
        let shown = points.prefix(count)
        defer { points.removeFirst(count) }
        let part = number
        number += 1
        let coverage = Double(coveredSeconds) / max(1, (query.range.to - query.range.from).rounded(.up))
        return .holding(request, at: now) { json in
            json.field("stream", StreamName.recordedAccelerometer.rawValue)
            json.field("part", part)
            json.field("last", isLast)
            if isLast {
                json.field("coverage", min(1, coverage), decimals: 4)
                damaged.write(to: &json)
            }
            json.object("samples") { json in
                func column(_ key: StaticString, decimals: Int, _ value: (Point) -> Int64) {
                    json.array(key) { json in
                        for point in shown { json.fixed(nil, value(point), decimals: decimals) }
                    }
                }
                if !shown.isEmpty, shown.allSatisfy({ $0.identifier != HistoryMinute.noIdentifier }) {
                    column("identifier", decimals: 0) { $0.identifier }
                }
                column("startDate", decimals: 6) { Int64($0.microseconds) }
                column("x", decimals: Self.decimals) { $0.x }
                column("y", decimals: Self.decimals) { $0.y }
                column("z", decimals: Self.decimals) { $0.z }
            }
        }
    }
}
