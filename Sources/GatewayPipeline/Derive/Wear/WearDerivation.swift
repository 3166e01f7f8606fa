package import TelemetryModel

/// `wear`: when a device is put on and taken off, from its history.
///
/// Each change is published once. Samples that come late change `day` and `sleep`, but no earlier change of `wear`.
package struct WearDerivation: Derivation {
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

    /// Nothing: frames of a history are derived from once they are stored.
    package static func input(of frame: DerivationFrame, settings: WearSettings) -> Never? { nil }

    /// Never called.
    package mutating func consume(_ input: Never, settings: WearSettings, into events: inout [DerivedEvent]) {}

    /// Publishes the changes after the last one.
    package mutating func take(_ occurrence: Occurrence, settings: WearSettings, into output: inout DerivationOutput) {
        guard case .history(let view) = occurrence else { return }
        for period in view.wear.periods {
            let since = view.epochs.time(period.range.lowerBound)
            if let last, since <= last.since || period.state == last.state { continue }
            let change = WearChange(
                state: period.state, since: since, previous: last?.state, start: last?.since, end: last.map { _ in since })
            let time = DeviceTime(since.seconds)
            output.events.append(DerivedEvent(time: time, validUntil: time + settings.validHours * 3_600, body: change))
            last = Last(state: period.state, since: since)
        }
    }

    /// Nil: it has no timers of its own.
    package func due(settings: WearSettings) -> DeviceTime? { nil }

    /// Does nothing.
    package mutating func fire(until now: DeviceTime, settings: WearSettings, into events: inout [DerivedEvent]) {}

    /// A history goes on in the next boot.
    package func continued() -> Self? { self }
}
