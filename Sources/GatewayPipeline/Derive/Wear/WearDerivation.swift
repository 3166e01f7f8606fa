import TelemetryModel

/// `wear`: when a device is put on and taken off, from its history.
///
/// Each change is published once. Samples that come late change `day` and `sleep`, but no earlier change of `wear`.
package struct WearDerivation: HistoryDerivation {
    /// The settings.
    package typealias Settings = WearSettings

    /// `wear`.
    package static let declaration = DerivationDeclaration(
        "wear", version: 1, streams: [.recordedAccelerometer], kinds: [WearChange.self],
        "When a device is worn and when it is not, from recorded acceleration.")

    private struct Last: Sendable, Equatable, Codable {
        var state: WearState
        var since: UnixTime
    }

    private var last: Last?

    /// No state.
    package init() {}

    /// Publishes the changes after the last one.
    package mutating func take(
        _ view: HistoryView, _ pass: (any HistoryPass)?, settings: WearSettings, into events: inout [DerivedEvent]
    ) {
        for period in view.wear.periods {
            let since = view.epochs.time(period.range.lowerBound)
            if let last, since <= last.since || period.state == last.state { continue }
            let change = WearChange(
                state: period.state, since: since, previous: last?.state, start: last?.since, end: last.map { _ in since })
            let time = DeviceTime(since.seconds)
            events.append(DerivedEvent(time: time, validUntil: time + settings.validHours * 3_600, body: change))
            last = Last(state: period.state, since: since)
        }
    }
}
