import TelemetryModel

/// The attitude that head poses are relative to, and the detection of the calm time after which it is taken.
///
/// Commands and disconnects arrive on other streams than samples and so may be early or late. Both are compared with the samples'
/// own times: an early one waits for the samples, a late one is ignored where the reference is already newer.
struct ReferencePose: Codable, Sendable, Equatable {
    /// Timestamps have a resolution of a microsecond, so a calm time that is shorter by less is long enough.
    private static let resolution = 1e-6

    /// The sample taken as the reference; nil until a first calm moment.
    private(set) var sample: AttitudeSample?
    private var calmSince: DeviceTime?
    private var resetAt: DeviceTime?
    private var disconnectedAt: DeviceTime?

    /// Requests another reference: the first whose calm time starts at or after `time`. Until then the old one stays in force.
    ///
    /// A command changes nothing if the calm time of the present reference already started after it.
    mutating func reset(at time: DeviceTime, settings: HeadPoseSettings) {
        if let sample, isCalm(from: time, to: sample.time, settings) { return }
        resetAt = max(time, resetAt ?? time)
    }

    /// Voids a reference taken up to `time`, and the calm time until then, once a sample after `time` arrives.
    mutating func disconnect(at time: DeviceTime) {
        guard time != disconnectedAt else { return }
        let last = max(time, disconnectedAt ?? time)
        // Two disconnects are pending and samples from before either may still arrive: the reference is voided at once.
        if disconnectedAt != nil { void(until: last) }
        disconnectedAt = last
    }

    /// Voids the reference and the calm time: the attitudes from here on are relative to another frame.
    mutating func void() {
        sample = nil
        calmSince = nil
    }

    /// Takes the next sample, which `continues` the one before if the step between them agrees.
    mutating func take(_ next: AttitudeSample, continues: Bool, settings: HeadPoseSettings) {
        applyDisconnect(before: next.time)
        guard next.acceleration < settings.calmAccelerationG else {
            calmSince = nil
            return
        }
        var start = continues ? calmSince ?? next.time : next.time
        calmSince = start
        if sample != nil {
            guard let resetAt else { return }
            start = max(start, resetAt)
        }
        guard isCalm(from: start, to: next.time, settings) else { return }
        sample = next
        if let resetAt, resetAt <= start { self.resetAt = nil }
    }

    private mutating func applyDisconnect(before time: DeviceTime) {
        guard let disconnectedAt, disconnectedAt < time else { return }
        void(until: disconnectedAt)
        self.disconnectedAt = nil
    }

    /// Voids a reference taken up to `time`, and a calm time that began until then.
    private mutating func void(until time: DeviceTime) {
        if let sample, sample.time <= time { self.sample = nil }
        if let calmSince, calmSince <= time { self.calmSince = nil }
    }

    private func isCalm(from start: DeviceTime, to end: DeviceTime, _ settings: HeadPoseSettings) -> Bool {
        end - start > settings.calmSeconds - Self.resolution
    }
}
