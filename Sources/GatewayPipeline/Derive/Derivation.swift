package import TelemetryModel

/// A derivation from a device's frames: a value with `mutating` steps, no clock, no I/O and no task.
///
/// Equal inputs in one order give equal events. The value itself is the whole state, so it can be written and read
/// back; settings come with every call and are not part of it. A new derivation needs a folder beside this file and a line in
/// `Derivations.all`; dispatch, timers, storage, configuration and documentation follow from its declaration.
package protocol Derivation: StoredPart, Sendable, Equatable {
    /// The settings.
    associatedtype Settings: DerivationSettings
    /// The content of a frame that the derivation uses.
    associatedtype Input

    /// Name, streams, kinds and other static properties.
    static var declaration: DerivationDeclaration { get }

    /// The state before the first frame of a boot.
    init()

    /// The input in `frame`; nil for none.
    static func input(of frame: NormalizedFrame, settings: Settings) -> Input?

    /// Processes the input of one frame, in order of time, and appends the events that follow.
    mutating func consume(_ input: Input, settings: Settings, into events: inout [DerivedEvent])

    /// When the earliest timer fires; nil when none runs. Settings are as configured, not resolved for the device.
    func due(settings: Settings) -> DeviceTime?

    /// Fires, in order, every timer due at or before `now`; each event's time is its timer's due time.
    mutating func fire(until now: DeviceTime, settings: Settings, into events: inout [DerivedEvent])

    // MARK: For derivations that depend on more than the content of frames. All have a default.

    /// The kinds whose events it receives as `Occurrence.event`, with these settings; by default those of the declaration.
    static func sums(settings: Settings) -> [any DerivedBody.Type]

    /// Whether an occurrence creates a state where there is none, by settings for the device.
    static func begins(with occurrence: Occurrence, settings: Settings) -> Bool

    /// Processes an occurrence. By default the input of a frame is consumed and other occurrences are ignored.
    mutating func take(_ occurrence: Occurrence, settings: Settings, into output: inout DerivationOutput)

    /// What reads recorded minutes for the derivation when `days` of a history have changed; by default nil, for nothing but what every
    /// `HistoryView` has.
    static func pass(over days: HistoryDays, settings: Settings) -> (any HistoryPass)?

    /// Whether data are expected now although the streams have no nominal rate, so that silence counts; false by default.
    var expectsData: Bool { get }

    /// Whether the device's state may be dropped to make room for another device's; true by default.
    var isExpendable: Bool { get }

    /// The state that continues in the device's next boot; nil, for none, by default.
    func continued() -> Self?

    /// The state of a boot that was left and has come back, after the boot in between whose state was `other`; nil for none. By default what
    /// continues of that.
    func resumed(after other: Self) -> Self?

    /// Moves every instant by `seconds`, onto the clock of a boot that replaces one without a clock of its own.
    mutating func shift(by seconds: Double)

    /// Puts instants that are still to be published on the wall clock, which is `offset` seconds after the device's: that begins anew.
    mutating func leaveClock(offset: Double)

    /// Records that the gateway has restarted and restored the state: it is not confirmed by data yet.
    mutating func markRestored()

    /// What is published when the gateway starts or stops, while the state is not certain; nil, for nothing, by default. Without a `state` there
    /// was one, which is lost. With `changesOwner` another gateway had, or gets, the device.
    static func announcement(of state: Self?, settings: Settings, changesOwner: Bool) -> (any DerivedBody)?
}

extension Derivation {
    /// The version in the declaration.
    package static var version: Int { declaration.version }

    /// Consumes the input of a frame; ignores other occurrences.
    package mutating func take(_ occurrence: Occurrence, settings: Settings, into output: inout DerivationOutput) {
        guard case .frame(let frame) = occurrence, let input = Self.input(of: frame, settings: settings) else { return }
        consume(input, settings: settings, into: &output.events)
    }

    /// Those of the declaration.
    package static func sums(settings: Settings) -> [any DerivedBody.Type] { declaration.sums }

    /// Whatever it has an input of, or sums.
    package static func begins(with occurrence: Occurrence, settings: Settings) -> Bool {
        switch occurrence {
        case .frame(let frame): input(of: frame, settings: settings) != nil
        case .activity, .presence, .event, .history: true
        case .announcement, .acknowledgement, .interruption, .doubt: false
        }
    }

    /// A derivation reads no recorded days by default.
    package static func pass(over days: HistoryDays, settings: Settings) -> (any HistoryPass)? { nil }

    /// A derivation expects no data by default.
    package var expectsData: Bool { false }

    /// A state may be evicted by default.
    package var isExpendable: Bool { true }

    /// Nothing continues after a reboot by default.
    package func continued() -> Self? { nil }

    /// What continues of `other`.
    package func resumed(after other: Self) -> Self? { other.continued() }

    /// This state with a part of another one.
    func taking<Part>(_ part: WritableKeyPath<Self, Part>, of other: Self) -> Self {
        var next = self
        next[keyPath: part] = other[keyPath: part]
        return next
    }

    /// Does nothing.
    package mutating func shift(by seconds: Double) {}

    /// Does nothing.
    package mutating func leaveClock(offset: Double) {}

    /// Does nothing.
    package mutating func markRestored() {}

    /// Nothing is published at a start or stop by default.
    package static func announcement(of state: Self?, settings: Settings, changesOwner: Bool) -> (any DerivedBody)? { nil }
}

extension Derivation where Input == Never {
    /// Nothing: it processes no frames.
    package static func input(of frame: NormalizedFrame, settings: Settings) -> Never? { nil }

    /// Never called.
    package mutating func consume(_ input: Never, settings: Settings, into events: inout [DerivedEvent]) {}
}

/// A derivation without timers: what gets no successor ends by its `validUntil`.
package protocol UntimedDerivation: Derivation {}

extension UntimedDerivation {
    /// Nil.
    package func due(settings: Settings) -> DeviceTime? { nil }

    /// Does nothing.
    package mutating func fire(until now: DeviceTime, settings: Settings, into events: inout [DerivedEvent]) {}
}

/// The static properties of a derivation.
package final class DerivationDeclaration: Sendable {
    /// Its name, such as `depth` or `connection.device`.
    package let name: String
    /// The section of its settings; below `derive` where nothing else is given.
    package let section: String
    /// Raised whenever a state written by an earlier version would be decoded wrongly.
    package let version: Int
    /// What it derives, in one sentence.
    package let summary: String
    /// The streams whose frames it processes, the main one first; none where it processes events alone.
    package let streams: [StreamName]
    /// The streams that its lane must have, or at least one of them. Every lane receives every message of `status`, `workout` and
    /// `command`. None where it runs in every lane.
    package let homeStreams: [StreamName]
    /// The kinds that it publishes.
    package let kinds: [any DerivedBody.Type]
    /// Whether it is enabled by default.
    package let isOnByDefault: Bool
    /// The names of its counters in the gateway's status.
    package let counters: [StaticString]
    /// Whether it receives `Occurrence.activity` of every stream.
    package let followsActivity: Bool
    /// Whether what waits for samples is decided when no more can arrive.
    package let decidesAtEnd: Bool
    /// Whether its timers fire at the end of a recording, as they would without any more messages.
    package let endsWithRecording: Bool
    /// The kinds of other derivations, and of the gateway, whose events it receives as `Occurrence.event`.
    package let sums: [any DerivedBody.Type]
    /// The paths of its messages after `out/`, where a kind is shared with another derivation; nil for all of its kinds.
    package let paths: [String]?

    /// A declaration.
    package init(
        _ name: String, section: String? = nil, version: Int, streams: [StreamName], kinds: [any DerivedBody.Type],
        isOnByDefault: Bool = true,
        counters: [StaticString] = [], followsActivity: Bool = false, decidesAtEnd: Bool = false,
        endsWithRecording: Bool = false, paths: [String]? = nil, homeStreams: [StreamName]? = nil,
        sums: [any DerivedBody.Type] = [], _ summary: String
    ) {
        self.name = name
        self.section = section ?? "derive.\(name)"
        self.version = version
        self.summary = summary
        self.streams = streams
        self.kinds = kinds
        self.isOnByDefault = isOnByDefault
        self.counters = counters
        self.followsActivity = followsActivity
        self.decidesAtEnd = decidesAtEnd
        self.endsWithRecording = endsWithRecording
        self.paths = paths
        let own = streams.filter { !$0.concernsAllStreams }
        self.homeStreams = homeStreams ?? (own.isEmpty ? streams : own)
        self.sums = sums
    }

    /// Whether it publishes messages with this path after `out/`.
    package func publishes(_ path: String) -> Bool {
        paths?.contains(path) ?? kinds.contains { $0.covers(path) }
    }
}
