import TelemetryModel

/// The intake's state of one boot of a device: clock, order of messages, units of motion.
struct BootOrder: Sendable, Equatable, Codable {
    /// The position of one scope in its order.
    struct Position: Sendable, Equatable, Codable {
        /// The `seq` that is expected next.
        var next: UInt64
        /// Frames with a smaller `seq` were presumably processed by a gateway before this one; nil where none is presumed.
        var presumedBefore: UInt64?
        /// The smallest of them that may still be reported as missing; nil for 0.
        var presumedFrom: UInt64?
    }

    /// The device's clock.
    var clock = DeviceClock()
    /// The position of each scope.
    var positions: KeyedTable<SequenceScope, Position> = [:]
    /// The units and signs of the motion streams whose producer does not name them.
    var conventions: KeyedTable<StreamName, ConventionTrack> = [:]
    /// What the frames of each scope have shown of the device's clock in the current run.
    var clocks: KeyedTable<SequenceScope, ScopeClock> = [:]
    /// Up to when the samples of each stream were accepted in the current run.
    var series: KeyedTable<StreamName, SeriesTimes> = [:]
    /// How many runs of the boot have ended in this lane.
    var endedRuns = 0

    /// The scopes in the order in which waits are ended together: the contract's streams, then producers by their names.
    var scopes: [SequenceScope] {
        StreamName.allCases.map { SequenceScope($0) }
            + positions.keys.filter { $0.stream == nil }.sorted { $0.name < $1.name }
    }

    /// Ends the run of the boot: the next one has a clock of its own. Its `seq` go on, but not where the boot's id was used again.
    mutating func endRun(_ cause: RunCause, isBySent: Bool) {
        for scope in Array(clocks.keys) { endRun(of: scope, cause, isBySent: isBySent) }
        // A scope of which only retained frames came has no clock.
        if cause == .bootReused { positions = [:] }
        series = [:]
        clock = DeviceClock()
        endedRuns.addSaturated(1)
    }

    /// Ends the run of one scope.
    mutating func endRun(of scope: SequenceScope, _ cause: RunCause, isBySent: Bool) {
        clocks[scope]?.endRun(cause, isBySent: isBySent, next: positions[scope]?.next)
        if cause == .bootReused { positions[scope] = nil }
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        clock.shiftMonotonic(by: seconds)
        for scope in Array(clocks.keys) { clocks[scope]?.shiftMonotonic(by: seconds) }
    }

    /// The expected `seq` of `scope` before its first frame: a first frame with a small `seq` waits for those before it.
    static func expected(before sequence: UInt64, of scope: SequenceScope, within limit: Int) -> UInt64 {
        // Some producers count from 1.
        sequence < UInt64(max(0, limit)) ? min(sequence, scope.stream == nil ? 1 : 0) : sequence
    }
}

extension StreamName {
    /// Whether its frames can begin a run: commands come from others, and results may be queried later.
    var hasRuns: Bool { self != .command && self != .movementDisorder && self != .recordedAccelerometer }
}
