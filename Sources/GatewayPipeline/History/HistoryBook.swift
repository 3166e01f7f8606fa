import TelemetryModel

/// The minutes of histories that have changed and are not stored yet, in front of those that are.
///
/// Where nothing is stored (a replay), the book keeps all minutes itself, compressed.
final class HistoryBook {
    /// How many minutes of a device are kept decoded where nothing is stored.
    private static let mostDecoded = 4

    private let reader: (any HistoryReader)?
    /// Minutes that are in no commit yet.
    private var changed: [DeviceID: [Int: HistoryMinute]] = [:]
    /// Minutes that a commit has taken, until it is known to be written.
    private var taken: [DeviceID: [Int: HistoryRow]] = [:]
    private var generation = 0

    /// A book in front of `reader`; nil keeps everything in memory.
    init(reader: (any HistoryReader)?) { self.reader = reader }

    /// Whether commits store what it holds.
    var isStored: Bool { reader != nil }

    /// Adds samples from `range` to the minutes that they are of; returns the minutes that have changed, and how many samples are new.
    func add(
        _ samples: RecordedAcceleration, _ range: Range<Int>, of device: DeviceID
    ) throws -> (minutes: [Int], count: Int) {
        var (minutes, added): ([Int], Int) = ([], 0)
        var start = range.lowerBound
        while start < range.upperBound {
            let number = HistoryMinute.minute(of: samples.startDate[start])
            var end = start + 1
            while end < range.upperBound, HistoryMinute.minute(of: samples.startDate[end]) == number { end += 1 }
            var minute = try take(number, of: device)
            let count = minute.add(samples, start..<end)
            if count > 0 || changed[device]?[number] != nil { changed[device, default: [:]][number] = minute }
            if count > 0 { minutes.append(number) }
            added += count
            start = end
        }
        if reader == nil { compact(device) }
        return (minutes, added)
    }

    /// The minute to be changed, taken out of `changed` so that it is not copied.
    private func take(_ number: Int, of device: DeviceID) throws -> HistoryMinute {
        if let index = changed[device]?.index(forKey: number), let minute = changed[device]?[index].value {
            changed[device]?.updateValue(HistoryMinute(minute: number), forKey: number)
            return minute
        }
        if let row = taken[device]?[number] { return try row.samples() }
        var stored: HistoryMinute?
        try reader?.readHistory(of: device, in: number..<number + 1) { stored = $0 }
        return stored ?? HistoryMinute(minute: number)
    }

    /// Ends a reading early.
    private struct Stopped: Error {}

    /// Calls `body` with every minute of `device` in `range` that has samples, in order, until it returns false.
    func forEachMinute(of device: DeviceID, in range: Range<Int>, _ body: (HistoryMinute) -> Bool) throws {
        do { try readMinutes(of: device, in: range) { if !body($0) { throw Stopped() } } } catch is Stopped {}
    }

    private func readMinutes(of device: DeviceID, in range: Range<Int>, _ body: (HistoryMinute) throws -> Void) throws {
        let changed = changed[device] ?? [:]
        let taken = taken[device] ?? [:]
        var own = Set(changed.keys).union(taken.keys).filter(range.contains).sorted()[...]
        func passOwn(before minute: Int) throws {
            while let next = own.first, next < minute {
                own.removeFirst()
                if let minute = try changed[next] ?? taken[next]?.samples() { try body(minute) }
            }
        }
        try reader?.readHistory(of: device, in: range) { minute in
            try passOwn(before: minute.minute)
            if own.first != minute.minute { try body(minute) }
        }
        try passOwn(before: .max)
    }

    // MARK: Commits

    /// The minutes of `device` that have changed, for the next commit.
    func takeRows(of device: DeviceID) -> [HistoryRow] {
        guard let minutes = changed.removeValue(forKey: device) else { return [] }
        return minutes.values.sorted { $0.minute < $1.minute }.filter { $0.count > 0 }.map { minute in
            generation += 1
            var row = HistoryRow(minute)
            row.generation = generation
            taken[device, default: [:]][minute.minute] = row
            return row
        }
    }

    /// Records that rows that were taken are written.
    func noteWritten(_ rows: [HistoryRow], of device: DeviceID) {
        for row in rows where taken[device]?[row.minute]?.generation == row.generation { taken[device]?[row.minute] = nil }
        if taken[device]?.isEmpty == true { taken[device] = nil }
    }

    /// Records that rows that were taken could not be written: they are of the next commit again.
    func putBack(_ rows: [HistoryRow], of device: DeviceID) {
        for row in rows where taken[device]?[row.minute]?.generation == row.generation {
            taken[device]?[row.minute] = nil
            if changed[device]?[row.minute] == nil { changed[device, default: [:]][row.minute] = try? row.samples() }
        }
    }

    /// Forgets everything of `device` that is not stored.
    func erase(_ device: DeviceID) {
        changed[device] = nil
        taken[device] = nil
    }

    private func compact(_ device: DeviceID) {
        guard let count = changed[device]?.count, count > Self.mostDecoded else { return }
        _ = takeRows(of: device)
    }
}
