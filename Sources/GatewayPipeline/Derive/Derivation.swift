package import TelemetryModel

/// One thing worked out from a device's frames: a value with `mutating` steps, no clock, no I/O and no task.
///
/// The same inputs in the same order give the same events. The value itself is the whole state, so it can be written
/// and read back; settings come with every call and are not part of it. A new one is a folder beside this file and a line in
/// `Derivations.all`: dispatch, timers, storage, configuration and documentation go by its declaration.
package protocol Derivation: StoredPart, Sendable, Equatable {
    /// What can be set from outside.
    associatedtype Settings: DerivationSettings
    /// What a frame of the derivation's streams holds.
    associatedtype Input

    /// Name, streams, kinds and everything else that is known before the first frame.
    static var declaration: DerivationDeclaration { get }

    /// The state before the first frame of a boot.
    init()

    /// What `frame` holds for the derivation; nil for nothing.
    static func input(of frame: DerivationFrame, settings: Settings) -> Input?

    /// Takes what one frame holds, in order of time, and appends what follows from it.
    mutating func consume(_ input: Input, settings: Settings, into events: inout [DerivedEvent])

    /// When the earliest timer fires; nil when none runs. Settings are as configured, not resolved for the device.
    func due(settings: Settings) -> DeviceTime?

    /// Fires, in order, every timer due at or before `now`; each event's time is its timer's due time.
    mutating func fire(until now: DeviceTime, settings: Settings, into events: inout [DerivedEvent])

    // MARK: For derivations that depend on more than the content of frames; all have a default.

    /// Takes what happened to the device. By default a frame's input is consumed and nothing else changes anything.
    mutating func take(_ occurrence: Occurrence, settings: Settings, into output: inout DerivationOutput)

    /// Whether data are to come now although the streams have no nominal rate, so that their silence means something; false.
    var expectsData: Bool { get }

    /// Whether the device's state may be dropped to make room for another device's; true.
    var isExpendable: Bool { get }

    /// What goes on in the device's next boot; nil, for nothing.
    func continued() -> Self?

    /// Moves every instant by `seconds`, onto the clock of a boot that takes over from one without a clock of its own.
    mutating func shift(by seconds: Double)

    /// Notes that the gateway has started again and read the state back: it is not confirmed by data yet.
    mutating func markRestored()

    /// What is published when the gateway starts or stops, as nothing is known for certain then; nil, for nothing.
    static func announcement(of state: Self?, settings: Settings) -> (any DerivedBody)?
}

extension Derivation {
    package static var version: Int { declaration.version }

    package mutating func take(_ occurrence: Occurrence, settings: Settings, into output: inout DerivationOutput) {
        guard case .frame(let frame) = occurrence, let input = Self.input(of: frame, settings: settings) else { return }
        consume(input, settings: settings, into: &output.events)
    }

    package var expectsData: Bool { false }

    package var isExpendable: Bool { true }

    package func continued() -> Self? { nil }

    package mutating func shift(by seconds: Double) {}

    package mutating func markRestored() {}

    package static func announcement(of state: Self?, settings: Settings) -> (any DerivedBody)? { nil }
}

/// What is known of a derivation before the first frame.
package final class DerivationDeclaration: Sendable {
    /// The section of its settings below `derive`, such as `depth` or `connection.device`.
    package let name: String
    /// Raised whenever a state written by an earlier version would be misread.
    package let version: Int
    /// What it finds, in one sentence.
    package let summary: String
    /// The streams whose frames it takes, the one it is about first.
    package let streams: [StreamName]
    /// The streams that its lane must have. Of `status`, `workout` and `command` every lane sees every message.
    package let homeStreams: [StreamName]
    /// What it publishes.
    package let kinds: [any DerivedBody.Type]
    /// Whether it runs unless it is configured otherwise.
    package let isOnByDefault: Bool
    /// What it counts for the gateway's status.
    package let counters: [StaticString]
    /// Whether it takes `Occurrence.activity` of every stream.
    package let followsActivity: Bool
    /// Whether what still waits for samples is decided when no more can come.
    package let decidesAtEnd: Bool
    /// Whether its streams are judged together, so that one lane must carry them; else each lane derives from its own.
    package let needsOneLane: Bool
    /// The paths of its messages after `out/`, where a kind is shared with another derivation; nil for all of its kinds.
    package let paths: [String]?

    /// A declaration.
    package init(
        _ name: String, version: Int, streams: [StreamName], kinds: [any DerivedBody.Type], isOnByDefault: Bool = true,
        counters: [StaticString] = [], followsActivity: Bool = false, decidesAtEnd: Bool = false, needsOneLane: Bool = false,
        paths: [String]? = nil,
        _ summary: String
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.streams = streams
        self.kinds = kinds
        self.isOnByDefault = isOnByDefault
        self.counters = counters
        self.followsActivity = followsActivity
        self.decidesAtEnd = decidesAtEnd
        self.needsOneLane = needsOneLane
        self.paths = paths
        let own = streams.filter { !$0.concernsAllStreams }
        homeStreams = own.isEmpty ? streams : own
    }

    /// Whether a message with this path after `out/` is one of its own.
    package func publishes(_ path: String) -> Bool {
        paths?.contains(path) ?? kinds.contains { KindDescription(of: $0).covers(path) }
    }
}
