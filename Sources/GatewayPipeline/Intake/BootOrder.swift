import TelemetryModel

/// What the intake knows of one boot of a device: its clock, the order of its messages, the units of its motion.
struct BootOrder: Sendable, Equatable, Codable {
    /// The place of one scope in its order.
    struct Position: Sendable, Equatable, Codable {
        /// The `seq` that is expected next.
        var next: UInt64
        /// Frames with a smaller `seq` were presumably processed by a gateway before this one; nil where all were seen.
        var presumedBefore: UInt64?
    }

    /// The device's clock.
    var clock = DeviceClock()
    /// How far each scope is.
    var positions: [SequenceScope: Position] = [:]
    /// The units and signs of the motion streams whose producer does not name them.
    var conventions: [StreamName: ConventionTrack] = [:]

    /// The scopes in the order in which waits are ended together: the contract's streams, then producers by their names.
    var scopes: [SequenceScope] {
        StreamName.allCases.map { SequenceScope($0) }
            + positions.keys.filter { $0.stream == nil }.sorted { $0.name < $1.name }
    }

    /// Which `seq` of `scope` is expected where none has come: a first frame with a small `seq` waits for those before it.
    static func expected(before sequence: UInt64, of scope: SequenceScope, within limit: Int) -> UInt64 {
        // Some producers count from 1.
        sequence < UInt64(max(0, limit)) ? min(sequence, scope.stream == nil ? 1 : 0) : sequence
    }
}
