internal import Foundation
package import TelemetryModel

/// The noons of a device's time zone.
package struct LocalNoon: Sendable, Equatable {
    private let zone: TimeZone?

    /// The noons of the time zone of that name (IANA); of UTC without one, or where the system does not know it.
    package init(zone name: String?) { zone = name.flatMap(TimeZone.init(identifier:)) }

    /// Whether the system knows a time zone of that name.
    package static func isKnown(_ name: String) -> Bool { TimeZone(identifier: name) != nil }

    /// The first noon after `time`.
    package func noon(after time: UnixTime) -> UnixTime {
        var noon = noon(near: time)
        while noon <= time { noon = self.noon(near: noon + HistoryDay.seconds) }
        return noon
    }

    /// The last noon at or before `time`.
    package func noon(notAfter time: UnixTime) -> UnixTime {
        var noon = noon(near: time)
        while noon > time { noon = self.noon(near: noon - HistoryDay.seconds) }
        return noon
    }

    /// Noon of the local date of `time`.
    private func noon(near time: UnixTime) -> UnixTime {
        let local = time.seconds + offset(at: time)
        let noon = (local / HistoryDay.seconds).rounded(.down) * HistoryDay.seconds + HistoryDay.seconds / 2
        // The offset may change on that day: the one that holds at noon counts.
        return UnixTime(noon - offset(at: UnixTime(noon - offset(at: time))))
    }

    private func offset(at time: UnixTime) -> Double {
        guard let zone else { return 0 }
        return Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: time.seconds)))
    }
}
