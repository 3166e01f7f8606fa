/// Points in time as exports and other programs write them.
package enum CalendarTime {
    /// A reading of a date and time of day.
    package struct Reading: Equatable {
        /// Unix seconds; as if in UTC where no zone is given.
        package var seconds: Double
        /// Whether the text names its zone.
        package var hasZone: Bool
        /// The order of day and month that the text shows; nil where the year comes first or either is possible.
        package var order: DateOrder?
        /// Whether the year comes first, as in ISO 8601.
        package var isISO8601: Bool
    }

    /// Why a text is no point in time.
    package enum Failure: Error, Equatable {
        /// It is none.
        case unreadable
        /// It is one in either order of day and month.
        case ambiguous
    }

    /// Reads `2023-06-05T23:37:35.646+09:00`, `2021-04-08 19:16:16.750 +0100`, `20230605T143735Z`, `5.6.2023 23:37`, `6/5/2023 11:37:35 PM` and
    /// what lies between. `order` decides dates such as `6/5/2023`.
    package static func read(_ text: String, order: DateOrder? = nil) throws(Failure) -> Reading {
        var scan = Scan(rest: Array(text.utf8)[...])
        guard let date = scan.date(), scan.skipSeparator(), let time = scan.timeOfDay() else { throw .unreadable }
        scan.skipBlanks()
        var zone: Int?
        if !scan.rest.isEmpty {
            guard let found = scan.zone(), scan.rest.isEmpty else { throw .unreadable }
            zone = found
        }
        let (days, shown) = try date.days(order: order)
        return Reading(
            seconds: Double(days) * 86400 + time - Double(zone ?? 0), hasZone: zone != nil, order: shown,
            isISO8601: date.isYearFirst)
    }

    /// The seconds east of UTC that `Z`, `+01:00`, `-0330` and the like name; nil for anything else.
    package static func offset(_ text: String) -> Int? {
        var scan = Scan(rest: Array(text.utf8)[...])
        guard let offset = scan.zone(), scan.rest.isEmpty else { return nil }
        return offset
    }
}

/// Whether the day or the month comes first in a date; the raw values are those of `--date-order`.
package enum DateOrder: String, Sendable, CaseIterable {
    /// Day, month, year.
    case dayFirst = "dmy"
    /// Month, day, year.
    case monthFirst = "mdy"
}

/// A date as it is written.
private struct WrittenDate {
    /// The numbers; where the year comes first they are year, month and day.
    var first, second, third: Int
    var isYearFirst: Bool
    /// The order that the notation implies: with points the day is first.
    var implied: DateOrder?

    /// Days since 1970, and the order that the date shows; throws where it is no date, or one in either order.
    func days(order: DateOrder?) throws(CalendarTime.Failure) -> (Int, DateOrder?) {
        if isYearFirst { return (try Self.days(first, second, third), nil) }
        let year = third < 70 ? 2000 + third : third < 100 ? 1900 + third : third
        let shown: DateOrder? = implied ?? (first > 12 ? .dayFirst : second > 12 ? .monthFirst : nil)
        guard let order = shown ?? order ?? (first == second ? .dayFirst : nil) else {
            _ = try Self.days(year, second, first)
            throw .ambiguous
        }
        return (order == .dayFirst ? try Self.days(year, second, first) : try Self.days(year, first, second), shown)
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) throws(CalendarTime.Failure) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard lengths.indices.contains(month - 1), (1...lengths[month - 1]).contains(day) else { throw .unreadable }
        // The year is counted from March, so that the leap day is its last.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Reads the parts of a text one after the other.
private struct Scan {
    var rest: ArraySlice<UInt8>

    mutating func date() -> WrittenDate? {
        guard let (first, length) = number(upTo: 8) else { return nil }
        if length == 8 {
            return WrittenDate(first: first / 10_000, second: first / 100 % 100, third: first % 100, isYearFirst: true)
        }
        guard length <= 2 || length == 4, let mark = rest.first, [0x2D, 0x2E, 0x2F].contains(mark) else { return nil }
        rest = rest.dropFirst()
        guard let (second, _) = number(upTo: 2), rest.first == mark else { return nil }
        rest = rest.dropFirst()
        guard let (third, yearLength) = number(upTo: length == 4 ? 2 : 4), length == 4 || yearLength != 3 else { return nil }
        return WrittenDate(
            first: first, second: second, third: third, isYearFirst: length == 4,
            implied: mark == UInt8(ascii: ".") ? .dayFirst : nil)
    }

    /// Passes over what stands between date and time; false where nothing does.
    mutating func skipSeparator() -> Bool {
        let count = rest.count
        if take("T") || take("t") { return true }
        _ = take(",")
        skipBlanks()
        return rest.count < count
    }

    mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 } }

    /// Seconds of the day.
    mutating func timeOfDay() -> Double? {
        guard let (first, length) = number(upTo: 6) else { return nil }
        if length == 6 || length == 4 {
            let (hour, minute, second) =
                length == 6 ? (first / 10_000, first / 100 % 100, first % 100) : (first / 100, first % 100, 0)
            return seconds(hour, minute, second)
        }
        guard length <= 2, take(":"), let (minute, minuteLength) = number(upTo: 2), minuteLength == 2 else { return nil }
        var second = 0
        if take(":") {
            guard let (whole, length) = number(upTo: 2), length == 2 else { return nil }
            second = whole
        }
        return seconds(first, minute, second)
    }

    private mutating func seconds(_ hour: Int, _ minute: Int, _ second: Int) -> Double? {
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: ",") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard (1...12).contains(digits.count) else { return nil }
            fraction = Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
            rest = rest.dropFirst(1 + digits.count)
        }
        guard minute < 60, second <= 60, let hour = halfDay(hour) else { return nil }
        return Double(hour * 3600 + minute * 60 + second) + fraction
    }

    /// The hour of the day of an hour that AM or PM may follow.
    private mutating func halfDay(_ hour: Int) -> Int? {
        let text = rest.drop { $0 == 0x20 }
        let mark = text.prefix(while: { ![0x20, 0x2B, 0x2D].contains($0) })
        let word = String(decoding: mark, as: UTF8.self).lowercased().filter { $0 != "." }
        guard word == "am" || word == "pm" else { return hour < 24 ? hour : nil }
        rest = text.dropFirst(mark.count)
        guard (1...12).contains(hour) else { return nil }
        return hour % 12 + (word == "pm" ? 12 : 0)
    }

    /// Seconds east of UTC.
    mutating func zone() -> Int? {
        let name = String(decoding: rest, as: UTF8.self)
        if ["Z", "z", "UTC", "GMT"].contains(name) {
            rest = []
            return 0
        }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let (hours, length) = number(upTo: 4), length == 2 || length == 4 else { return nil }
        if length == 4 { return Self.offset(sign, hours / 100, hours % 100) }
        _ = take(":")
        guard !rest.isEmpty else { return Self.offset(sign, hours, 0) }
        guard let (minutes, length) = number(upTo: 2), length == 2 else { return nil }
        return Self.offset(sign, hours, minutes)
    }

    private static func offset(_ sign: Int, _ hours: Int, _ minutes: Int) -> Int? {
        hours <= 18 && minutes < 60 ? sign * (hours * 3600 + minutes * 60) : nil
    }

    /// Digits, at most so many, and how many there are.
    private mutating func number(upTo most: Int) -> (Int, Int)? {
        let digits = rest.prefix(most).prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        return (digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }, digits.count)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
