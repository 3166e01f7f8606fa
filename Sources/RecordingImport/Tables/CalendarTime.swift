/// Points in time as exports write them.
enum CalendarTime {
    /// A reading of a date and time of day.
    struct Reading: Equatable {
        /// Unix seconds; as if in UTC where no zone is given.
        var seconds: Double
        /// Whether the text names its zone.
        var hasZone: Bool
    }

    /// Reads `2023-06-05T23:37:35.646+09:00`, `2021-04-08 19:16:16.750 +0100` and what lies between; nil for anything else.
    static func read(_ text: String) -> Reading? {
        var rest = Array(text.utf8)[...]
        guard let year = digits(4, of: &rest), take("-", from: &rest), let month = digits(2, of: &rest), take("-", from: &rest),
            let day = digits(2, of: &rest), (1...12).contains(month), (1...31).contains(day),
            take("T", from: &rest) || take(" ", from: &rest),
            let hour = digits(2, of: &rest), take(":", from: &rest), let minute = digits(2, of: &rest), hour < 24, minute < 60
        else { return nil }
        var second = 0.0
        if take(":", from: &rest) {
            guard let whole = digits(2, of: &rest), whole <= 60 else { return nil }
            second = Double(whole)
            if take(".", from: &rest) || take(",", from: &rest) {
                let fraction = rest.prefix { (0x30...0x39).contains($0) }
                guard (1...12).contains(fraction.count) else { return nil }
                second += Double("0." + String(decoding: fraction, as: UTF8.self)) ?? 0
                rest = rest.dropFirst(fraction.count)
            }
        }
        let seconds = Double(days(year, month, day) * 86400 + hour * 3600 + minute * 60) + second
        _ = take(" ", from: &rest)
        guard !rest.isEmpty else { return Reading(seconds: seconds, hasZone: false) }
        guard let offset = zone(&rest), rest.isEmpty else { return nil }
        return Reading(seconds: seconds - Double(offset), hasZone: true)
    }

    /// Seconds east of UTC.
    private static func zone(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if take("Z", from: &rest) { return 0 }
        let sign = take("+", from: &rest) ? 1 : take("-", from: &rest) ? -1 : 0
        guard sign != 0, let hours = digits(2, of: &rest) else { return nil }
        _ = take(":", from: &rest)
        let minutes = rest.isEmpty ? 0 : digits(2, of: &rest) ?? 60
        guard hours <= 18, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // The year is counted from March, so that the leap day is its last.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func digits(_ count: Int, of rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func take(_ character: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
