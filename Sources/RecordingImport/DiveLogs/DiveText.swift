import TelemetryModel

/// What dive logs write: numbers with units, times since the start, dates.
enum DiveText {
    /// A number, in metres or degrees; nil where the text is none.
    static func number(_ text: some StringProtocol) -> Double? { Row.decimal(trimmed(text), allowsComma: true) }

    /// Metres of `13.2 m`, `43 ft` or `13.2`; nil where that is none.
    static func metres(_ text: String) -> Double? {
        switch split(text) {
        case (let value?, "m"), (let value?, ""): value
        case (let value?, "ft"): value * 0.3048
        default: nil
        }
    }

    /// Degrees Celsius of `18.0 C`, `64 F`, `291.15 K` or `18.0`; nil where that is none.
    static func celsius(_ text: String) -> Double? {
        switch split(text) {
        case (let value?, "C"), (let value?, "°C"), (let value?, ""): value
        case (let value?, "F"), (let value?, "°F"): (value - 32) / 1.8
        case (let value?, "K"): value - 273.15
        default: nil
        }
    }

    /// A pressure of `1.013 bar` or `1013 mbar`; nil where that is none.
    static func pressure(_ text: String) -> WaterReading.Measured? {
        switch split(text) {
        case (let value?, let unit) where ["bar", "mbar", "psi", "Pa"].contains(unit):
            WaterReading.Measured(value: value, unit: unit)
        default: nil
        }
    }

    /// Seconds of `1:10 min`, `0:01:10` or `1.5 min`: hours if there are three parts, else minutes; nil where that is none.
    static func seconds(minutes text: String) -> Double? {
        let parts = trimmed(text.hasSuffix("min") ? text.dropLast(3) : text[...]).split(
            separator: ":", omittingEmptySubsequences: false
        ).map(number)
        switch parts.count {
        case 1: return parts[0].map { $0 * 60 }
        case 2, 3:
            guard !parts.contains(nil) else { return nil }
            let values = parts.compactMap(\.self)
            guard values.allSatisfy({ $0 >= 0 }), values.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
            return values.dropLast().reduce(0) { ($0 + $1) * 60 } + (values.last ?? 0)
        default: return nil
        }
    }

    /// The date and time of `2014-01-19 11:02:56` in ISO 8601, of `Sun Jan 19 11:02:56 2014 UTC`, or of `1/19/2014 11:02:56 AM`, whose day and month
    /// are in `order`. Throws where it is none, or one in either order.
    static func date(_ text: String, order: DateOrder? = nil) throws(CalendarTime.Failure) -> CalendarTime.Reading {
        let text = trimmed(text)
        let failure: CalendarTime.Failure
        do throws(CalendarTime.Failure) { return try CalendarTime.read(text, order: order) } catch { failure = error }
        let words = text.split(separator: " ").map(String.init)
        if (5...6).contains(words.count), let month = months.firstIndex(of: words[1]) {
            let day = words[2].count == 1 ? "0" + words[2] : words[2]
            let zone = words.count == 6 ? ["UTC", "GMT"].contains(words[5]) ? "Z" : words[5] : ""
            return try CalendarTime.read("\(words[4])-\(twoDigits(month + 1))-\(day)T\(words[3])\(zone)")
        }
        guard failure != .ambiguous, (2...3).contains(words.count) else { throw failure }
        // Some programs write minutes and seconds with one digit.
        let clock = words[1].split(separator: ":", omittingEmptySubsequences: false).map { Int($0).map(twoDigits) ?? "?" }
        let rest = [clock.joined(separator: ":")] + words.dropFirst(2)
        return try CalendarTime.read(([words[0]] + rest).joined(separator: " "), order: order)
    }

    /// Whether a text is a date, with day and month in either order.
    static func isDate(_ text: String) -> Bool {
        do throws(CalendarTime.Failure) { return try date(text).seconds.isFinite } catch { return error == .ambiguous }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func twoDigits(_ number: Int) -> String { (0...9).contains(number) ? "0\(number)" : "\(number)" }

    /// The number before a unit, and the unit.
    private static func split(_ text: String) -> (Double?, String) {
        let text = trimmed(text)
        let number = text.prefix { $0.isNumber || "+-.,eE".contains($0) }
        return (self.number(number), trimmed(text[number.endIndex...]))
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let blank: (Character) -> Bool = { $0.isWhitespace }
        var text = Substring(text).drop(while: blank)
        while text.last.map(blank) ?? false { text.removeLast() }
        return String(text)
    }
}
