package import TelemetryModel

/// One thing worked out from a device's frames: a value with a `mutating` step, no clock, no I/O and no task.
///
/// The same inputs in the same order give the same events. The value itself is the whole state, so it can be written
/// and read back; settings come with every call and are not part of it.
package protocol Derivation: StoredPart, Sendable, Equatable {
    /// What can be set from outside.
    associatedtype Settings: Sendable
    /// What a frame of the derivation's streams holds.
    associatedtype Input

    /// The state before the first frame of a boot.
    init()

    /// Takes what one frame holds, in order of time, and appends what follows from it.
    mutating func consume(_ input: Input, settings: Settings, into events: inout [DerivedEvent])

    /// When the earliest timer fires; nil when none runs.
    func due(settings: Settings) -> DeviceTime?

    /// Fires, in order, every timer due at or before `now`; each event's time is its timer's due time.
    mutating func fire(until now: DeviceTime, settings: Settings, into events: inout [DerivedEvent])
}
