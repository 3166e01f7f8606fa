internal import StateCoding
package import TelemetryModel

extension DeviceState {
    /// The version of the states that were stored whole, before the state was stored in parts.
    package static let wholeVersion = "1.1.1.1.1.1.1"

    /// The state in a document of that version; throws when it is damaged. What cannot be carried over is appended to `dropped`.
    package init(whole bytes: [UInt8], of device: DeviceID, dropped: inout [DroppedPart]) throws {
        let whole = try StateCoder.decode(WholeState.self, from: bytes)
        self.init()
        intake = DeviceIntake(whole)
        access = AccessState(status: whole.status, decisions: whole.decisions)
        boot.frames = BootFrames(
            id: whole.boots.boots.last, workouts: whole.workouts, histories: whole.histories,
            accelerometerGaps: whole.accelerometerGaps, deviceMotionGaps: whole.deviceMotionGaps)
        boot.derivations = whole.derivations.set
        if var depth = boot.derivations[SubmersionDerivation.self] {
            depth.immersedSince = whole.immersedSince
            depth.isUnconfirmed = whole.isDepthUnconfirmed
            boot.derivations.restore(depth)
        }
        for (kind, value) in whole.retained { retained[kind: kind] = value.renamed(kind) }
        for name in whole.derivations.unreadable {
            dropped.append(DroppedPart(device: device, part: Part.derive + name, reason: "its layout is another"))
        }
    }
}

/// A state that was stored whole.
private struct WholeState: Decodable {
    struct Boots: Decodable { var boots: [BootID] }

    struct Held: Decodable {
        var message: InboundMessage
        var scope: SequenceScope
        var header: FrameHeader
        var firstSample: DeviceTime
        var received: GatewayTime

        private enum CodingKeys: String, CodingKey {
            case message, header, firstSample, received
            case scope = "carrier"
        }
    }

    struct Tracker: Decodable {
        var next: UInt64?
        var held: [Held]
    }

    var boots: Boots
    var clock: DeviceClock
    var status: DeviceStatus?
    var workouts: WorkoutHistory
    var sequences: KeyedTable<SequenceScope, Tracker>
    var conventions: KeyedTable<StreamName, ConventionTrack>
    var awaitingConvention: [Held]
    var histories: KeyedTable<StreamName, FrameHistory>
    var awaitingWorkout: [Held]
    var accelerometerGaps: SampleGaps
    var deviceMotionGaps: SampleGaps
    var immersedSince: UInt64?
    var isDepthUnconfirmed: Bool
    var decisions: KeyedTable<StreamName, AccessDecision>
    var derivations: WholeDerivations
    var retained: [String: RetainedValue]
}

/// The derivations of a state that was stored whole, each decoded separately.
private struct WholeDerivations: Decodable {
    private enum CodingKeys: String, CodingKey {
        case submersion, deviceConnection, headphoneConnection, headPose, swing, stroke
    }

    let set: DerivationSet
    let unreadable: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var (set, unreadable) = (DerivationSet(), [String]())
        func read<D: Derivation>(_ key: CodingKeys, _ derivation: D.Type) {
            do {
                let state = try container.decode(D.self, forKey: key)
                // All derivations were stored, also those without any frame.
                if state != D() { set.restore(state) }
            } catch {
                unreadable.append(D.declaration.name)
            }
        }
        read(.submersion, SubmersionDerivation.self)
        read(.deviceConnection, DeviceConnectionDerivation.self)
        read(.headphoneConnection, HeadphoneConnectionDerivation.self)
        read(.headPose, HeadPoseDerivation.self)
        read(.swing, SwingDerivation.self)
        read(.stroke, StrokeDerivation.self)
        (self.set, self.unreadable) = (set, unreadable)
    }
}

extension DeviceIntake {
    fileprivate init(_ whole: WholeState) {
        self.init()
        boots = BootHistory(whole.boots.boots, clock: whole.clock)
        order.clock = whole.clock
        order.conventions = whole.conventions
        for (scope, tracker) in whole.sequences {
            if let next = tracker.next { order.positions[scope] = .init(next: next) }
            for held in tracker.held { waiting.insert(WaitingMessage(held, for: .earlierFrame)) }
        }
        for held in whole.awaitingWorkout { waiting.insert(WaitingMessage(held, for: .workout)) }
        for held in whole.awaitingConvention { waiting.insert(WaitingMessage(held, for: .units)) }
    }
}

extension WaitingMessage {
    fileprivate init(_ held: WholeState.Held, for reason: Reason) {
        let limits = IntakeLimits()
        let seconds =
            switch reason {
            case .earlierFrame: limits.reorderSeconds(for: held.scope)
            case .workout: limits.workoutWaitSeconds
            case .units: limits.unitsWaitSeconds
            case .boot, .run: limits.bootWaitSeconds
            }
        self.init(
            message: held.message, scope: held.scope, header: held.header, streams: held.scope.stream.map { [$0] } ?? [],
            firstSample: held.firstSample, received: held.received, reason: reason,
            until: held.received.monotonic + seconds)
    }
}

extension RetainedValue {
    /// The message under the names of this version.
    fileprivate func renamed(_ kind: String) -> RetainedValue {
        guard kind.hasPrefix("connection/") else { return self }
        var renamed = self
        let text = String(decoding: payload, as: UTF8.self)
        renamed.payload = Array(
            text.replacing("\"state\":\"stale\"", with: "\"state\":\"silent\"")
                .replacing("\"previous\":\"stale\"", with: "\"previous\":\"silent\"").utf8)
        return renamed
    }
}
