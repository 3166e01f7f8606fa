package import TelemetryModel

/// What one part of a session counts: the sums over derived events. A sum of one event and a sum of many are of one type, so that
/// they can be added in any portions.
package protocol SessionSum: Codable, Sendable, Equatable {
    /// The stream that the part is about: its gaps count, and it is the source of the messages.
    static var stream: StreamName { get }
    /// The kind of the part.
    static var kind: DerivedKind<SessionReport<Self>> { get }
    /// The events that are summed.
    static var sources: [SessionSource<Self>] { get }
    /// Nothing.
    init()
    /// Adds another sum.
    mutating func add(_ other: Self)
}

/// One kind of event that a part of a session sums.
package struct SessionSource<Sum: SessionSum>: Sendable {
    /// The kind.
    let kind: any DerivedBody.Type
    /// The sum of one event that was derived from a stream; nil for an event of another kind, and for one that is not counted.
    let entry: @Sendable (DerivedEvent, StreamName) -> SessionEntry<Sum>?

    /// Sums `Body`.
    ///
    /// - Parameters:
    ///   - streams: The streams whose events count, as those of another are in another part; nil for all.
    ///   - start: The first instant that the event is about; it counts in a session that had begun by then. The instant of the
    ///     event by default.
    ///   - add: Adds the event to an empty sum.
    init<Body: DerivedBody>(
        _ body: Body.Type, of streams: [StreamName]? = nil,
        from start: @escaping @Sendable (Body, DeviceTime) -> DeviceTime = { $1 },
        _ add: @escaping @Sendable (Body, inout Sum) -> Void
    ) {
        kind = body
        entry = { event, stream in
            guard let body = event.body as? Body, streams?.contains(stream) ?? true else { return nil }
            var sum = Sum()
            add(body, &sum)
            guard sum != Sum() else { return nil }
            return SessionEntry(from: start(body, event.time).seconds, to: event.time.seconds, sum: sum)
        }
    }
}

/// A part of a session with its sums, as it is published.
package struct SessionReport<Sum: SessionSum>: DerivedBody {
    /// The session.
    package var session: Session
    /// What was counted.
    package var sum: Sum

    /// The part's kind.
    package static var kind: DerivedKind<Self> { Sum.kind }

    /// That of the part.
    package static var homeStream: StreamName? { Sum.stream }

    /// Whether the broker keeps it: until the session has ended.
    package var isRetained: Bool { session.state != .ended }
}

extension DerivedKind {
    /// How every part is shown.
    fileprivate static var view: KindView {
        KindView(
            row: { $0.list },
            episode: .init("Workouts") { fields in
                guard fields.number("end") != nil else { return nil }
                return Phrase(list: [fields.words("activity") ?? "workout", fields.number("elapsedTime").map(\.clock)])
            })
    }

    /// The kind of a part of a session; `fields` follow those that all parts have.
    static func session<Sum: SessionSum>(
        _ name: String, _ summary: String, fields: [DerivedField<SessionReport<Sum>>]
    ) -> DerivedKind where Body == SessionReport<Sum> {
        let common: [DerivedField<SessionReport<Sum>>] = [
            .choice("state", "What the session is doing.", \.session.state),
            .text(
                "activity", "HealthKit's name or raw value of the activity; null where the device gives none.", \.session.activity
            ),
            .instant("start", "When it began.", \.session.start),
            .instant("end", "When it ended; null before.", \.session.end),
            .seconds("elapsedTime", "From the start to `at`.", \.session.elapsedTime),
            .seconds("activeTime", "The time of it in which the workout ran.", \.session.activeTime),
            .choice("endedBy", "Why it has ended; null before.", \.session.endedBy),
            .number(
                "coverage", "The part of `elapsedTime` that is in no `gap` of the part's stream, 0 to 1.", \.session.coverage),
            .integer("gaps", "The number of `gap`s of the part's stream in it.", \.session.gaps),
            .integer("revision", "How often late data have changed it since it was published as ended.", \.session.revision),
        ]
        return DerivedKind(name, retained: true, summary, fields: common + fields, view: view) { report in
            "\(report.session.start.microseconds):\(report.session.state.rawValue):\(report.session.revision)"
        }
    }
}
