internal import Deflate
package import TelemetryModel

/// A minute of recorded acceleration as it is stored: differences as variable-length integers, compressed.
package struct HistoryRow: Sendable, Equatable {
    /// The minutes since 1970.
    package var minute: Int
    /// The number of samples.
    package var count: Int
    /// When the first sample was measured.
    package var first: UnixTime
    /// When the last sample was measured.
    package var last: UnixTime
    /// The samples.
    package var data: [UInt8]
    /// Which encoding of the minute it is; not stored.
    var generation = 0

    /// A row that was read.
    package init(minute: Int, count: Int, first: UnixTime, last: UnixTime, data: [UInt8]) {
        self.minute = minute
        self.count = count
        self.first = first
        self.last = last
        self.data = data
    }

    /// The UTC day, in days since 1970.
    package var day: Int { minute / HistoryDay.minutes }
}

extension HistoryRow {
    private static let version: UInt8 = 1
    private static let clipped: UInt8 = 1
    private static let identified: UInt8 = 2
    /// More samples do not fit into a minute at 5 ms each.
    private static let mostSamples = 12_100

    /// The row of a minute that has samples.
    init(_ minute: HistoryMinute) {
        let hasIdentifiers = minute.identifiers.contains { $0 != HistoryMinute.noIdentifier }
        var bytes: [UInt8] = [
            Self.version, (minute.isClipped ? Self.clipped : 0) | (hasIdentifiers ? Self.identified : 0),
        ]
        bytes.reserveCapacity(minute.count * 5 + 16)
        VariableLength.append(Int64(minute.count), to: &bytes)
        VariableLength.append(differencesTwiceOf: minute.times.lazy.map(Int64.init), to: &bytes)
        if hasIdentifiers { VariableLength.append(differencesTwiceOf: minute.identifiers, to: &bytes) }
        for column in [minute.x, minute.y, minute.z] {
            VariableLength.append(differencesOf: column.lazy.map(Int64.init), to: &bytes)
        }
        self.init(
            minute: minute.minute, count: minute.count, first: minute.date(0), last: minute.date(minute.count - 1),
            data: Deflate.compress(bytes))
    }

    /// The samples; throws `DamagedHistory` when they cannot be read.
    package func samples() throws -> HistoryMinute {
        // 10 bytes for each of five numbers is what a damaged row could hold at most.
        guard let bytes = Deflate.expand(data, limit: Self.mostSamples * 50), bytes.count > 2, bytes[0] == Self.version else {
            throw DamagedHistory(minute: minute)
        }
        var reader = VariableLength.Reader(bytes, from: 2)
        guard let count = reader.next(), (1...Int64(Self.mostSamples)).contains(count) else {
            throw DamagedHistory(minute: minute)
        }
        let number = Int(count)
        var result = HistoryMinute(minute: minute)
        result.isClipped = bytes[1] & Self.clipped != 0
        guard let times = reader.differencesTwice(number),
            let identifiers = bytes[1] & Self.identified == 0
                ? Array(repeating: HistoryMinute.noIdentifier, count: number) : reader.differencesTwice(number),
            let x = reader.differences(number), let y = reader.differences(number), let z = reader.differences(number)
        else { throw DamagedHistory(minute: minute) }
        result.times = times.map { Int32(clamping: $0) }
        result.identifiers = identifiers
        (result.x, result.y, result.z) = (x, y, z)
        return result
    }
}

/// A stored minute that cannot be read.
package struct DamagedHistory: Error, CustomStringConvertible {
    /// The minutes since 1970.
    package let minute: Int

    /// One line for a log.
    package var description: String { "the minute \(minute) of a history is damaged" }
}

/// Days of UTC.
package enum HistoryDay {
    /// The minutes of a day.
    package static let minutes = 1_440
    /// The seconds of a day.
    package static let seconds = 86_400.0

    /// The day of an instant, in days since 1970.
    package static func day(of time: UnixTime) -> Int { Int((time.seconds / seconds).rounded(.down)) }
}
