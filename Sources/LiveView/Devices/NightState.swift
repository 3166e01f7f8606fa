/// What a recorded history shows of a wearer: the last night, the last day, and whether the device is worn.
package struct NightState: Sendable, Hashable {
    /// The last night: seconds asleep and in all, and awakenings; nil before the first.
    package private(set) var sleep: Sleep?
    /// The last day: its date, seconds worn and steps.
    package private(set) var day: Day?
    /// `worn`, `notWorn` or `unknown`; nil before the first `wear`.
    package private(set) var wear: String?
    /// Since when, unix seconds.
    package private(set) var wearSince: Double?

    /// A night.
    package struct Sleep: Sendable, Hashable {
        /// The noon before it, unix seconds.
        package var at: Double
        /// Its onset and its end, unix seconds.
        package var start, end: Double?
        /// Seconds asleep, and from onset to end.
        package var asleep, duration: Double
        /// Interruptions of more than 5 min.
        package var awakenings: Int?
    }

    /// A day.
    package struct Day: Sendable, Hashable {
        /// The date in UTC.
        package var date: String
        /// Seconds worn.
        package var worn: Double?
        /// Steps.
        package var steps: Int?
    }

    mutating func takeSleep(_ fields: DerivedFields) -> Phrase? {
        guard let at = fields.at, let asleep = fields.sleepDuration, let duration = fields.duration else { return nil }
        let night = Sleep(
            at: at, start: fields.start, end: fields.end, asleep: asleep, duration: duration, awakenings: fields.awakenings)
        // A night that is revised may be older than the last.
        if at >= sleep?.at ?? at { sleep = night }
        return Phrase(night.text, .good)
    }

    mutating func takeDay(_ fields: DerivedFields) -> Phrase? {
        guard let date = fields.date?.printable else { return nil }
        let found = Day(date: date, worn: fields.worn, steps: fields.estimatedSteps)
        if date >= day?.date ?? date { day = found }
        return Phrase(found.text, .plain)
    }

    mutating func takeWear(_ fields: DerivedFields) -> Phrase? {
        let (before, since) = (wear, wearSince)
        (wear, wearSince) = (fields.state, fields.since)
        // A revision of an earlier change is no news; the latest change follows it.
        guard wear != before, fields.since ?? 0 >= since ?? -.infinity else { return nil }
        switch wear {
        case "worn": return Phrase("is worn", .quiet)
        case "notWorn": return Phrase("is not worn", .quiet)
        default: return nil
        }
    }

    mutating func clear(_ kind: String) {
        if kind == "day" { day = nil }
        if kind == "wear" { (wear, wearSince) = (nil, nil) }
    }

    package var headline: Phrase? {
        if let sleep { return Phrase(sleep.text, .good) }
        if let day { return Phrase(day.text, .plain) }
        return wear.map { Phrase($0 == "notWorn" ? "not worn" : $0.printable, .quiet) }
    }

    /// A bar of the night, as much of it full as was sleep.
    func picture(width: Int) -> [Phrase] {
        guard let sleep, sleep.duration > 0 else { return [Phrase(String(repeating: " ", count: width))] }
        let share = min(1, max(0, sleep.asleep / sleep.duration))
        let full = Int((share * Double(width)).rounded())
        return [
            Phrase(String(repeating: "▆", count: full), .good), Phrase(String(repeating: "▁", count: width - full), .quiet),
        ]
    }

    var summary: String? {
        let parts = [sleep?.text, day?.text].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension NightState.Sleep {
    fileprivate var text: String {
        let awake = awakenings.map { ", " + $0.counted("awakening") } ?? ""
        return "slept \(asleep.hours) of \(duration.hours)\(awake)"
    }
}

extension NightState.Day {
    fileprivate var text: String {
        ["\(date):", worn.map { "worn \($0.hours)" }, steps.map { "\($0.counted("step"))" }].compactMap(\.self)
            .joined(separator: " ")
    }
}

extension Double {
    /// Seconds as hours and minutes, `6:35 h`.
    fileprivate var hours: String {
        guard isFinite, self >= 0, self < 1e9 else { return "?" }
        let minutes = Int((self / 60).rounded())
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60) h"
    }
}
