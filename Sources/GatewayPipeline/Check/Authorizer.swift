package import TelemetryModel

/// A frame, or the part of one, that passed all checks. Only the check stage can create one.
package struct AuthorizedFrame: Sendable, Equatable {
    /// The frame; of a batched frame only the halves and samples that may be used.
    package let frame: NormalizedFrame
    /// The limit of the device's depth entitlement in m; nil for other streams than submersion.
    package let maximumDepth: Double?

    fileprivate init(frame: NormalizedFrame, maximumDepth: Double? = nil) {
        self.frame = frame
        self.maximumDepth = maximumDepth
    }
}

/// Whether a stream of one device may be used: available, authorized, entitled, in session, in this order.
///
/// What does not depend on a frame is computed once: it holds until the device reports another status or the policy changes.
package final class Authorizer: Sendable {
    /// Why a stream may not be used whatever its frame holds.
    package typealias Refusal = (reason: AccessReason, code: CoreMotionErrorCode)

    /// The result of a check.
    package enum Outcome: Sendable, Equatable {
        /// The frame may be used; the parts of it that may not be used are listed.
        case allowed(AuthorizedFrame, refusedHalves: [Capability])
        /// The stream may not be used.
        case refused(AccessReason, CoreMotionErrorCode?)
    }

    /// The operator's policy.
    package let policy: DevicePolicy
    /// What the device reported in its `status`; nil if nothing.
    package let claims: DeviceStatus?
    /// The depth entitlement in force: the operator's, limited by the device's claim, or the claim where the device is trusted
    /// and the operator set nothing for it.
    package let depthEntitlement: DepthEntitlement
    /// The properties of the device that derivations use.
    let traits: DeviceTraits
    private let refusals: [StreamName: Refusal]

    /// A check of one device.
    package init(of device: DeviceID, policy: DevicePolicy, claims: DeviceStatus?) {
        self.policy = policy
        self.claims = claims
        let grants = Grants(policy: policy, claims: claims)
        depthEntitlement = grants.depthEntitlement
        traits = DeviceTraits(
            of: device, maximumDepth: grants.depthEntitlement.maximumDepth, denied: grants.denied, consents: policy.consents,
            crown: claims?.crownOrientation, wrist: policy.wrist ?? claims?.wristLocation)
        let refused = StreamName.allCases.compactMap { stream in grants.refusal(of: stream).map { (stream, $0) } }
        refusals = Dictionary(refused) { first, _ in first }
    }

    /// Checks `frame`; an unknown workout counts as none running.
    package func check(_ frame: NormalizedFrame, workouts: WorkoutHistory) -> Outcome {
        let stream = frame.stream
        if stream.needsOnlyKnown { return .allowed(AuthorizedFrame(frame: frame), refusedHalves: []) }
        if let refusal = standingRefusal(of: stream) { return .refused(refusal.reason, refusal.code) }
        switch frame.body {
        case .submersion:
            return .allowed(AuthorizedFrame(frame: frame, maximumDepth: depthEntitlement.maximumDepth), refusedHalves: [])
        case .batchedIMU(let batch):
            return check(batch, of: frame, workouts: workouts)
        case .pedometer(let samples) where !isAvailable(.pedometerEvents):
            guard !samples.data.isEmpty || samples.events.isEmpty else { return .refused(.notAvailable, .notAvailable) }
            var kept = frame
            kept.body = .pedometer(PedometerSamples(data: samples.data, tracksEvents: false))
            return .allowed(AuthorizedFrame(frame: kept), refusedHalves: samples.events.isEmpty ? [] : [.pedometerEvents])
        case .altimeter(let samples) where samples.absolute != nil && !isAvailable(.absoluteAltimeter):
            guard !samples.timestamp.isEmpty else { return .refused(.notAvailable, .notAvailable) }
            var kept = samples
            kept.absolute = nil
            var authorized = frame
            authorized.body = .altimeter(kept)
            return .allowed(AuthorizedFrame(frame: authorized), refusedHalves: [.absoluteAltimeter])
        default:
            return .allowed(AuthorizedFrame(frame: frame), refusedHalves: [])
        }
    }

    /// The refusal that does not depend on the frame: availability, authorization, entitlement.
    package func standingRefusal(of stream: StreamName) -> Refusal? { refusals.isEmpty ? nil : refusals[stream] }

    /// Whether `policy` permits a device to measure depth.
    package static func mayMeasureDepth(_ policy: DevicePolicy) -> Bool {
        Grants(policy: policy, claims: nil).refusal(of: .submersion) == nil
    }

    /// Whether neither the operator nor the device denies a capability.
    func isAvailable(_ capability: Capability) -> Bool { traits.has(capability) }

    private func check(_ batch: BatchedIMU, of frame: NormalizedFrame, workouts: WorkoutHistory) -> Outcome {
        var kept = batch
        var refused: [Capability] = []
        if batch.accelerometer != nil, !isAvailable(.accelerometerBatch) {
            kept.accelerometer = nil
            refused.append(.accelerometerBatch)
        }
        if batch.deviceMotion != nil, !isAvailable(.deviceMotionBatch) {
            kept.deviceMotion = nil
            refused.append(.deviceMotionBatch)
        }
        if kept.accelerometer == nil, kept.deviceMotion == nil { return .refused(.notAvailable, .notAvailable) }
        if policy.needsSession {
            kept.accelerometer = kept.accelerometer.flatMap { samples in
                let range = workouts.runningRange(of: samples.timestamp)
                return range.isEmpty ? nil : range.count == samples.count ? samples : samples.slice(range)
            }
            kept.deviceMotion = kept.deviceMotion.flatMap { samples in
                let range = workouts.runningRange(of: samples.timestamp)
                return range.isEmpty ? nil : range.count == samples.count ? samples : samples.slice(range)
            }
            if kept.accelerometer == nil, kept.deviceMotion == nil { return .refused(.notInSession, .invalidAction) }
        }
        var authorized = frame
        authorized.body = .batchedIMU(kept)
        return .allowed(AuthorizedFrame(frame: authorized), refusedHalves: refused)
    }
}

/// What the operator and the device itself permit.
private struct Grants {
    let policy: DevicePolicy
    let claims: DeviceStatus?
    /// The capabilities that one of them denies.
    let denied: Set<Capability>

    init(policy: DevicePolicy, claims: DeviceStatus?) {
        self.policy = policy
        self.claims = claims
        denied = Set(Capability.allCases.filter { policy.available[$0] == false || claims?.available[$0] == false })
    }

    func refusal(of stream: StreamName) -> Authorizer.Refusal? {
        if stream.needsOnlyKnown { return nil }
        if let streams = policy.streams, !streams.contains(stream) { return (.notAvailable, .notAvailable) }
        let capabilities = Self.capabilities(of: stream)
        if !capabilities.isEmpty, denied.isSuperset(of: capabilities) { return (.notAvailable, .notAvailable) }
        if !isAuthorized {
            return (.notAuthorized, stream == .pedometer ? .motionActivityNotAuthorized : .notAuthorized)
        }
        if stream == .submersion, depthEntitlement == .none { return (.notEntitled, .notEntitled) }
        if stream == .movementDisorder, !policy.hasMovementDisorder { return (.notEntitled, .notEntitled) }
        return nil
    }

    var depthEntitlement: DepthEntitlement {
        let claimed = claims?.entitlements.map(DepthEntitlement.init(entitlements:))
        if policy.trustsDeviceClaims, !policy.entitlementIsExplicit, let claimed { return claimed }
        return min(policy.entitlement ?? .none, claimed ?? .full)
    }

    private var isAuthorized: Bool {
        let operatorAllows = policy.authorization.map { $0 == .authorized }
        let deviceAllows = claims?.authorization.map { $0 == .authorized }
        if operatorAllows == nil, policy.trustsDeviceClaims, let deviceAllows { return deviceAllows }
        return (operatorAllows ?? true) && (deviceAllows ?? true)
    }

    /// One of them is enough; empty for a stream that every device has.
    private static func capabilities(of stream: StreamName) -> [Capability] {
        switch stream {
        case .headphoneMotion: [.headphoneMotion]
        case .deviceMotion: [.deviceMotion]
        case .batchedIMU: [.accelerometerBatch, .deviceMotionBatch]
        case .submersion: [.waterSubmersion]
        case .recordedAccelerometer: [.recordedAccelerometer]
        case .pedometer: [.pedometer]
        case .altimeter: [.altimeter]
        case .movementDisorder: [.movementDisorder]
        case .headphoneConnection, .status, .workout, .command: []
        }
    }
}
