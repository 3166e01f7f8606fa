package import TelemetryModel

/// What derivations of a device process.
package enum Occurrence: Sendable {
    /// A frame that may be used, of one of the derivation's streams.
    case frame(NormalizedFrame)
    /// A frame of any stream as activity, processed `age` seconds of device time after it was sent.
    case activity(DeviceActivity, age: Double)
    /// The device's last will, or another party's report of its presence, effective at `at`.
    case presence(DeviceStatus.State, at: DeviceTime, isLastWill: Bool)
    /// An event of one of the kinds that the derivation sums, as it is published, and the stream that it was derived from.
    case event(DerivedEvent, of: StreamName)
    /// An event of such a kind that no frame has led to, with its time on the wall clock, and the device's time by estimate.
    case announcement(DerivedEvent, of: StreamName, at: DeviceTime)
    /// Somebody has seen an alarm; with the device's time by estimate.
    case acknowledgement(AlarmAcknowledgement, at: DeviceTime)
    /// The data stop for a reason outside the data.
    case interruption(Interruption, at: DeviceTime)
    /// What one of the streams sends cannot be used from `at` on.
    case doubt(Doubt, at: DeviceTime)
    /// The history of the device has changed; with it what the derivation's own pass made of the minutes.
    case history(HistoryView, (any HistoryPass)?)
}

/// Why data stop.
package enum Interruption: Sendable, Equatable {
    /// The stream may not be used any more.
    case access
    /// The device started again.
    case reboot
    /// The device's clock began anew within a boot.
    case newRun(RunCause)
}

/// What is in doubt of what a device sends.
package enum Doubt: Sendable, Equatable {
    /// A value: a frame held a number that is not finite, or a word for no value.
    case value
    /// The device's clock: the frames may be of another run of it.
    case clock
}

/// The facts about a device beside its frames.
package struct DeviceFacts: Sendable {
    /// What holds until the device reports another status, or the policy changes.
    package let traits: DeviceTraits
    /// Whether everything is read that the broker had queued before what is processed, so that the absence of data means silence.
    package let isCurrent: Bool
}

/// What registry and status say of a device. It is an object, because it goes with each frame to each derivation.
package final class DeviceTraits: Sendable {
    /// How deep the device may measure, in m; nil where it may not.
    let maximumDepth: Double?
    /// The capabilities that registry or status deny.
    let denied: Set<Capability>
    /// What the person has consented to.
    let consents: Set<Consent>
    /// The side that the crown is on; nil where the device does not report it.
    let crown: Side?
    /// The wrist that the device is on; nil where neither registry nor status has it.
    let wrist: Side?
    /// The device.
    let device: DeviceID

    /// The traits of a device.
    init(
        of device: DeviceID, maximumDepth: Double?, denied: Set<Capability>, consents: Set<Consent>, crown: Side?, wrist: Side?
    ) {
        self.device = device
        self.maximumDepth = maximumDepth
        self.denied = denied
        self.consents = consents
        self.crown = crown
        self.wrist = wrist
    }

    /// Whether the device has a capability.
    func has(_ capability: Capability) -> Bool { !denied.contains(capability) }
}

/// The result of an occurrence.
package struct DerivationOutput {
    /// The events, in order.
    package var events: [DerivedEvent] = []
    /// The counts, by the declared names.
    private(set) var counts: [(name: StaticString, number: Int)] = []

    /// Counts `number` more under a declared name.
    package mutating func count(_ name: StaticString, _ number: Int) {
        if number > 0 { counts.append((name, number)) }
    }
}

/// Activity of a device in one pipeline, for the one that derives its connection.
package struct DeviceActivity: Sendable, Equatable {
    /// Whose it is.
    package let device: DeviceID
    /// The stream it came on.
    package let stream: StreamName
    private(set) var header: FrameHeader
    private(set) var entry: FrameHistory.Entry
    /// Whether the stream has a nominal rate, so that its silence counts.
    let isSteady: Bool
    /// Whether its pipeline has read everything that the broker had queued before it.
    let isCurrent: Bool
    /// The number of the frame's run, how many runs of the boot have ended in its pipeline, and why the last one did.
    let run: Int
    let endedRuns: Int
    let endedBy: RunCause?

    init(_ frame: NormalizedFrame, of device: DeviceID, isSteady: Bool, isCurrent: Bool, ended: (runs: Int, by: RunCause?)) {
        self.device = device
        stream = frame.stream
        header = frame.header
        entry = frame.historyEntry
        self.isSteady = isSteady
        self.isCurrent = isCurrent
        run = frame.run
        (endedRuns, endedBy) = ended
    }

    /// Moves its times to the clock of a pipeline that has not seen the device's clock fall: to the device's time there, `now`.
    mutating func shift(to now: DeviceTime) {
        let seconds = now - header.uptime
        header.uptime = now
        (entry.first, entry.last) = (entry.first + seconds, entry.last + seconds)
        entry.offset -= seconds
    }
}
