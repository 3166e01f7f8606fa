internal import Foundation
import TelemetryModel

/// A time zone, for times of day that name none.
package struct LocalZone: Sendable, Equatable {
    private let zone: TimeZone
    /// Its name, as it was given.
    package let name: String

    /// A step back by more is the end of summer time, a smaller one a row out of order.
    private static let leastReturn = 1800.0

    /// The zone of a name of the zone database, such as `Europe/Berlin`, or an offset such as `+02:00`; nil for any other text.
    package init?(_ name: String) {
        if let seconds = Self.offset(name) {
            guard let zone = TimeZone(secondsFromGMT: seconds) else { return nil }
            self.zone = zone
        } else {
            // Abbreviations such as IST are of several zones.
            guard name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
            self.zone = zone
        }
        self.name = name
    }

    /// Unix seconds of a time of day that is `local` as if in UTC. Of the two in the hour that summer time repeats the first is taken, unless it
    /// is long before `last`, the time read before.
    func seconds(ofLocal local: Double, after last: Double?) -> Double {
        let offsets = [offset(at: local - 86_400), offset(at: local + 86_400)]
        let candidates = offsets.map { local - $0 }
        guard candidates[0] != candidates[1] else { return candidates[0] }
        let valid = zip(candidates, offsets).filter { offset(at: $0) == $1 }.map(\.0).sorted()
        // In the hour that is left out clocks were not yet set.
        guard let first = valid.first, let second = valid.last else { return candidates[0] }
        guard let last, first < last - Self.leastReturn else { return first }
        return second
    }

    private func offset(at seconds: Double) -> Double {
        Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
    }

    private static func offset(_ text: String) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-",
            let reading = try? CalendarTime.read("1970-01-02T00:00\(text)"), reading.hasZone
        else { return nil }
        return Int(86_400 - reading.seconds)
    }
}
