import TelemetryModel

/// What all devices of a pipeline share: settings, buffers, counters and messages to publish.
///
/// Owned by one pipeline and used on one thread at a time.
final class PipelineContext {
    /// The broker has resumed the session of a gateway before this one.
    struct Resumption {
        var at: GatewayTime
        /// Whether the states that gateway stored are here.
        var holdsStates: Bool
    }

    let settings: PipelineSettings
    /// The streams that this pipeline derives from.
    let streams: Set<StreamName>
    /// Their places as bits: each frame asks several times.
    private let places: UInt32
    let encoder: OutboundEncoder
    let decoder: MessageDecoder
    /// The samples of histories.
    let history: HistoryBook
    /// The devices whose histories the next checkpoint erases, before it writes anything else of them.
    private var erased: Set<DeviceID> = []
    /// The kinds of which the next checkpoint erases the messages that are kept, before it writes others.
    private var erasedKinds: [DeviceID: Set<String>] = [:]
    /// How often changes were taken.
    private(set) var takes: UInt64 = 0
    /// After how many takes messages were erased, by kind; `nil` stands for all kinds. Kept while changes are on their way to disk.
    private var erasures: [DeviceID: [String?: UInt64]] = [:]
    /// Why a history could not be read since the last call.
    var historyFailure: (any Error)?
    /// Asked before each step of a report, of which each takes some milliseconds: whether the call has time for another.
    var mayGoOn: () -> Bool = { true }
    /// The device whose report is under way, or was the last one.
    private weak var reporting: DeviceSlot?
    /// Whether the last call has left something of a report because it had no time.
    var leavesReport = false
    /// How far the wall clock is ahead of the time that is believed, in seconds.
    var clockLead = 0.0
    /// Whether the gateway's clock shows how long devices were silent.
    var firesTimers = true
    /// Nil where no session was resumed.
    var resumption: Resumption?
    /// Until when the broker may deliver frames again behind newer ones, on the monotonic clock; nil where it does not.
    var redeliveryUntil: Double?
    /// Whether activity of the devices in other pipelines may be missing.
    var awaitsActivity = false
    /// Whether what is decoded of messages that wait is kept in memory.
    var keepsDecoded = true
    /// The counters.
    var counters = PipelineCounters()
    /// The states of the devices that were published last.
    var fleet = FleetTracker()
    /// The devices that cost the most.
    var costliest = CostliestDevices()
    /// The messages to publish, in order.
    var messages: [OutboundMessage] = []
    /// Activity for the pipeline that derives connections.
    var activities: [DeviceActivity] = []
    /// What is to be reported of the kinds that devices have.
    var kindReports: [KindReport] = []

    /// The reports of the stages, where tracing is on.
    private(set) var reports: [StageReport] = []
    var isTracing = false
    private let splitter = JSONSplitter()
    /// Identifies the settings and the streams.
    private lazy var fingerprint = Fingerprint(of: settings, streams: streams)
    private var latestRules: (policy: DevicePolicy, rules: UInt64)?

    init(settings: PipelineSettings, streams: Set<StreamName>, history: (any HistoryReader)?, fingerprint: Fingerprint?) {
        self.history = HistoryBook(reader: history)
        self.settings = settings
        self.streams = streams
        places = streams.reduce(0) { $0 | 1 << $1.place }
        encoder = OutboundEncoder(settings)
        decoder = MessageDecoder(producers: settings.producers, limits: settings.decode)
        if let fingerprint { self.fingerprint = fingerprint }
    }

    /// Whether this pipeline publishes what is derived from `stream`.
    func owns(_ stream: StreamName) -> Bool { places & 1 << stream.place != 0 }

    /// The device whose report is under way. There is one at a time: what is read of a history takes tens of megabytes.
    var reportingSlot: DeviceSlot? { reporting.flatMap { $0.report == nil ? nil : $0 } }

    /// Has the report of `slot` go on; one of another device that is under way begins anew later.
    func beginReporting(_ slot: DeviceSlot) {
        if let other = reportingSlot, other !== slot { other.report = nil }
        reporting = slot
    }

    /// Erases the history of a device with the next checkpoint, asked for now, or after so many `takes`.
    func eraseHistory(of device: DeviceID, after takes: UInt64? = nil) {
        history.erase(device)
        erased.insert(device)
        erasures[device, default: [:]][nil] = takes ?? self.takes
    }

    /// The devices whose histories are to be erased since the last call, which begins another take.
    func takeErased() -> Set<DeviceID> {
        takes += 1
        return exchange(&erased, with: [])
    }

    /// Whether messages of a kind were erased after the take of this number.
    func isErased(_ kind: String, of device: DeviceID, since take: UInt64) -> Bool {
        guard let erasures = erasures[device] else { return false }
        return max(erasures[nil] ?? 0, erasures[kind] ?? 0) >= take
    }

    /// Records that no changes are on their way to disk.
    func noteWritten() { if !erasures.isEmpty { erasures = [:] } }

    /// Whether the next checkpoint erases anything.
    var erases: Bool { !erased.isEmpty || !erasedKinds.isEmpty }

    /// Erases the kept messages of some kinds with the next checkpoint, asked for now, or after so many `takes`.
    func eraseMessages(of kinds: some Sequence<String>, of device: DeviceID, after takes: UInt64? = nil) {
        for kind in kinds {
            erasedKinds[device, default: []].insert(kind)
            erasures[device, default: [:]][kind] = takes ?? self.takes
        }
    }

    /// The kinds of which the kept messages of a device are to be erased since the last call, in order.
    func takeErasedKinds(of device: DeviceID) -> [String] { erasedKinds.removeValue(forKey: device)?.sorted() ?? [] }

    /// Identifies the settings and `policy`: equal ones give the same number on every machine and in every run.
    func rules(of policy: DevicePolicy) -> UInt64 {
        if let latestRules, latestRules.policy == policy { return latestRules.rules }
        var fingerprint = fingerprint
        fingerprint.add(policy)
        latestRules = (policy, fingerprint.value)
        return fingerprint.value
    }

    /// What the broker may deliver again at `now`.
    func redelivery(at now: GatewayTime) -> Redelivery { Redelivery(until: redeliveryUntil, at: now) }

    /// Adds a report of a stage, where tracing is on.
    func report(_ report: @autoclosure () -> StageReport) {
        if isTracing { reports.append(report()) }
    }

    /// Records what was published of a device that is restored.
    func restoreFleet(_ retained: RetainedMessages, of device: DeviceID) {
        fleet.restore(retained, of: device, with: splitter)
    }

    /// The reports since the last call.
    func takeReports() -> [StageReport] { exchange(&reports, with: []) }

    /// The messages since the last call.
    func takeMessages() -> [OutboundMessage] { exchange(&messages, with: []) }
}
