package import TelemetryModel

/// `tremor` and `dyskinesia` as Apple's movement disorder manager found them, passed on.
///
/// An app asks for up to seven days at once, and may send a minute more than once: it is published again only with other values. A minute is
/// known by the one of UTC in which it starts.
package struct MovementDisorderDerivation: UntimedDerivation {
    /// `movementDisorder`.
    package static let declaration = DerivationDeclaration(
        "movementDisorder", version: 1, streams: [.movementDisorder], kinds: [Tremor.self, Dyskinesia.self],
        "Tremor and dyskinesia as Apple's movement disorder manager finds them, of persons who consented.")

    /// Days of which the minutes are remembered: Apple keeps seven.
    private static let mostDays = 8

    private var tremor = PublishedParts()
    private var dyskinesia = PublishedParts()

    /// No minute.
    package init() {}

    /// The results.
    package static func input(of frame: NormalizedFrame, settings: MovementDisorderSettings) -> MovementDisorderResults? {
        guard case .movementDisorder(let results) = frame.body else { return nil }
        return results
    }

    /// Publishes the minutes that differ from what was published of them; without consent none.
    package mutating func consume(
        _ results: MovementDisorderResults, settings: MovementDisorderSettings, into events: inout [DerivedEvent]
    ) {
        guard settings.isPermitted else {
            self = Self()
            return
        }
        for result in results.tremor {
            let shares = [
                result.unknown, result.none, result.slight, result.mild, result.moderate, result.strong, result.end.seconds,
            ]
            guard let revision = Self.revise(&tremor, result.start, shares) else { continue }
            var minute = Tremor(start: Self.time(result.start), end: Self.time(result.end), method: .apple)
            (minute.unknown, minute.none, minute.slight) = (result.unknown, result.none, result.slight)
            (minute.mild, minute.moderate, minute.severe) = (result.mild, result.moderate, result.strong)
            minute.revision = revision
            events.append(Self.event(minute, from: minute.start, to: minute.end))
        }
        for result in results.dyskinesia {
            let shares = [result.unlikely, result.likely, result.end.seconds]
            guard let revision = Self.revise(&dyskinesia, result.start, shares) else { continue }
            var minute = Dyskinesia(
                start: Self.time(result.start), end: Self.time(result.end), unlikely: result.unlikely, likely: result.likely)
            minute.revision = revision
            events.append(Self.event(minute, from: minute.start, to: minute.end))
        }
        tremor.trim(to: Self.mostDays)
        dyskinesia.trim(to: Self.mostDays)
    }

    /// The state: results may be of earlier boots.
    package func continued() -> Self? { self }

    private static func revise(_ parts: inout PublishedParts, _ start: UnixTime, _ numbers: [Double]) -> Int? {
        let minute = Int((start.seconds / 60).rounded(.down))
        return parts.revise(minute % HistoryDay.minutes, of: minute / HistoryDay.minutes, numbers)
    }

    private static func time(_ time: UnixTime) -> DeviceTime { DeviceTime(time.seconds) }

    private static func event(_ minute: any DerivedBody, from start: DeviceTime, to end: DeviceTime) -> DerivedEvent {
        var event = DerivedEvent(time: end, span: start...end, body: minute)
        event.isOnWallClock = true
        return event
    }
}
