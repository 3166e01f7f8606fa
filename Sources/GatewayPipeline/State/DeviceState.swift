package import TelemetryModel

/// The state of one device in a pipeline, in parts that are stored separately.
package struct DeviceState: Sendable, Equatable {
    /// Boots, order, clocks, and waiting messages.
    @Tracked package var intake = DeviceIntake()
    @Tracked var access = AccessState()
    /// What the device costs, over all of its boots.
    @Tracked var budgets = DeviceBudgets()
    /// The state of the current boot.
    package var boot = BootState()
    /// The state of the boot that the current one displaced; it continues if the device returns to it.
    @Tracked package var displaced: BootState? = nil
    /// The retained messages of the device.
    package var retained = RetainedMessages()
    /// The latest message of each kind that is not retained, for requests.
    var latest = RetainedMessages()
    /// The recorded history, beside its samples.
    @Tracked var history = HistoryTrack()
    /// The limits of published rejections; not stored.
    package var rejections = RejectionLimiter()
    /// Whether the order of its frames was stored and could not be read; not stored.
    var hasLostOrder = false
    /// Whether the state of its depth was stored, or may have been, and could not be read; not stored.
    var hasLostDepth = false

    /// A device without messages.
    package init() {}

    /// Compares what is stored.
    package static func == (left: Self, right: Self) -> Bool {
        left.intake == right.intake && left.access == right.access && left.budgets == right.budgets && left.boot == right.boot
            && left.displaced == right.displaced && left.retained == right.retained
            && left.latest == right.latest && left.history == right.history
    }

    /// The names of the parts that differ from those of `other`.
    package func differences(from other: Self) -> [String] {
        [
            ("intake", intake == other.intake), ("waiting", intake.waiting == other.intake.waiting),
            ("access", access == other.access), ("budgets", budgets == other.budgets),
            ("frames", boot.frames == other.boot.frames), ("fusion", boot.fusions == other.boot.fusions),
            ("derive", boot.derivations == other.boot.derivations), ("displaced", displaced == other.displaced),
            ("retained", retained == other.retained), ("latest", latest == other.latest),
            ("history", history == other.history),
        ].filter { !$0.1 }.map(\.0)
    }

    /// The status that the device reported.
    package var status: DeviceStatus? {
        _read { yield access.status }
    }

    /// The latest decision on each stream.
    package var decisions: KeyedTable<StreamName, AccessDecision> {
        _read { yield access.decisions }
        _modify { yield &access.decisions }
    }

    /// Counts every part as changed.
    mutating func markChanged() {
        $intake.markChanged()
        $access.markChanged()
        $budgets.markChanged()
        $displaced.markChanged()
        $history.markChanged()
        boot.markChanged()
        retained.markChanged()
        latest.markChanged()
    }

    /// Makes another boot the current one; all of its parts replace those of the one before.
    mutating func replaceBoot(by entered: BootState) {
        boot = entered
        boot.markChanged()
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`: that clock restarts with the machine.
    package mutating func shiftMonotonic(by seconds: Double) {
        intake.shiftMonotonic(by: seconds)
        budgets.shiftMonotonic(by: seconds)
    }
}

/// The state of a device's access.
struct AccessState: Sendable, Equatable, StoredPart {
    static let version = 1

    var status: DeviceStatus?
    var decisions: KeyedTable<StreamName, AccessDecision> = [:]
    /// The error by which the device last reported that it may not measure depth; nil once it has measured.
    var depthRefusal: CoreMotionErrorCode?
}

/// The state of one boot of a device, beside the order of its messages.
package struct BootState: Sendable, Equatable {
    @Tracked var frames = BootFrames()
    /// The fusion of each stream whose latest motion was raw.
    @Tracked var fusions = BootFusions()
    /// The states of the derivations.
    package var derivations = DerivationSet()

    /// The boot; nil before the first frame.
    package var id: BootID? {
        get { frames.id }
        set { frames.id = newValue }
    }

    /// The workout session.
    package var workouts: WorkoutHistory {
        _read { yield frames.workouts }
        _modify { yield &frames.workouts }
    }

    /// The latest frames of each stream.
    package var histories: KeyedTable<StreamName, FrameHistory> {
        _read { yield frames.histories }
        _modify { yield &frames.histories }
    }

    /// The numbers of the runs of streams, as far as they are not 1.
    var runs: KeyedTable<StreamName, Int> {
        get { frames.runs ?? [:] }
        set { frames.runs = newValue.isEmpty ? nil : newValue }
    }

    /// The number of the run of a stream; nil for the first.
    func run(of stream: StreamName) -> Int? { frames.runs?[stream] }

    /// Records the number of the run that a frame of a stream is of.
    mutating func noteRun(_ run: Int, of stream: StreamName) {
        if run > 1, self.run(of: stream) != run { runs[stream] = run }
    }

    /// Whether the latest motion of a stream was raw, and the gateway has fused it. A call would copy the state, for each message.
    @inline(__always)
    func isFused(_ stream: StreamName) -> Bool { !fusions.streams.isEmpty && fusions.streams.keys.contains(stream) }

    /// Counts every part as changed.
    mutating func markChanged() {
        $frames.markChanged()
        $fusions.markChanged()
        derivations.markChanged()
    }
}

/// The latest frames of one boot.
struct BootFrames: Sendable, Equatable, StoredPart {
    static let version = 1

    var id: BootID?
    var workouts = WorkoutHistory()
    var histories: KeyedTable<StreamName, FrameHistory> = [:]
    /// Gaps in the accelerometer half of batches.
    var accelerometerGaps = SampleGaps()
    /// Gaps in the device motion half of batches.
    var deviceMotionGaps = SampleGaps()
    /// The numbers of the runs of streams, as far as they are not 1; nil where none is.
    var runs: KeyedTable<StreamName, Int>?
}

/// The fusions of one boot, by stream.
struct BootFusions: Sendable, Equatable, StoredPart {
    static let version = 1

    var streams: KeyedTable<StreamName, MotionFusion> = [:]
}

extension DeviceIntake: StoredPart {
    /// The version of its layout.
    package static let version = 1
}

/// A value with a mark whether it may have changed since it was last written.
@propertyWrapper
package struct Tracked<Value> {
    private var storage: Value
    /// Whether it may have changed.
    private(set) var isChanged = false

    /// An unchanged value.
    package init(wrappedValue: Value) { storage = wrappedValue }

    /// The value; any access that may change it counts as a change.
    package var wrappedValue: Value {
        _read { yield storage }
        _modify {
            isChanged = true
            yield &storage
        }
    }

    /// The value with its mark.
    package var projectedValue: Self {
        _read { yield self }
        _modify { yield &self }
    }

    /// Counts the value as changed.
    mutating func markChanged() { isChanged = true }

    /// Counts the value as written; returns whether it had changed.
    mutating func takeChange() -> Bool { exchange(&isChanged, with: false) }

    /// Restores a stored value.
    mutating func restore(_ value: Value) { storage = value }
}

extension Tracked: Sendable where Value: Sendable {}

extension Tracked: Equatable where Value: Equatable {
    /// Compares the values alone.
    package static func == (left: Self, right: Self) -> Bool { left.storage == right.storage }
}
