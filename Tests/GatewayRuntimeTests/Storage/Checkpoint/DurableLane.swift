import Foundation
import GRDB
import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import Logging
import Synchronization
import TelemetryModel

@testable import GatewayRuntime

/// Collects what is published, in order.
final class CollectedMessages: OutboundSink {
    private let messages = Mutex<[OutboundMessage]>([])

    /// Everything since the last `clear`.
    var all: [DerivedJSON] { messages.withLock { $0 }.map(DerivedJSON.init) }

    func publish(_ more: [OutboundMessage]) { messages.withLock { $0 += more } }

    func clear() { messages.withLock { $0 = [] } }
}

extension LanePlan {
    /// The safety lane with the streams of all lanes.
    static var everything: LanePlan {
        var plan = LanePlan(.safety, in: GatewayConfiguration())
        plan.share = StreamShare(streams: Set(StreamName.allCases), takesUnknown: false)
        return plan
    }
}

/// One lane, for everything unless a plan says otherwise, on a state directory; another one on the same directory is the gateway started again.
struct DurableLane {
    let published = CollectedMessages()
    let lane: Lane

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let everybody = AccessPolicy(unknown: .everything)

    init(
        in directory: StateDirectory, plan: LanePlan = .everything,
        policy: AccessPolicy = DurableLane.everybody, settings: PipelineSettings = PipelineHarness.settings,
        journals: Bool = true, replica: StateReplica? = nil, startedAt unix: Double? = nil
    ) throws {
        var storage = try directory.storage(of: plan.name, payloadBytes: 1_000)
        storage.replica = replica.map { LaneReplica(replica: $0, lane: plan.name) }
        lane = Lane(
            plan: plan, settings: settings, policy: policy,
            admission: Admission(policy: policy), egress: published,
            storage: storage, journals: journals)
        if let unix { try start(at: unix) }
    }

    /// The lane's counts.
    var snapshot: LaneSnapshot { lane.snapshot }

    /// Starts as a gateway does: puts back what is on disk, and begins; with `changesOwner` after another gateway.
    func start(at unix: Double, changesOwner: Bool = false) throws {
        _ = try lane.restore(at: .at(unix))
        try lane.run(.begin(changesOwner: changesOwner), at: .at(unix))
    }

    /// Processes frames, each at its time; returns what was published.
    @discardableResult
    func take(_ frames: [RecordedMessage]) throws -> [DerivedJSON] {
        published.clear()
        for frame in frames { try lane.process([frame.message], at: .at(frame.at)) }
        return published.all
    }

    /// Runs one command; returns what was published.
    @discardableResult
    func run(_ command: PipelineCommand, at unix: Double) throws -> [DerivedJSON] {
        published.clear()
        try lane.run(command, at: .at(unix))
        return published.all
    }

    /// Commits what has changed, as the lane's session does.
    func commit(_ sealed: CommitSnapshot = CommitSnapshot(), at unix: Double, settle: () throws -> Void = {}) throws {
        var snapshot = sealed
        try lane.take(into: &snapshot)
        do {
            try snapshot.commit(at: .at(unix), settle: settle)
        } catch {
            lane.noteFailed(snapshot)
            throw error
        }
        lane.noteCommitted(snapshot, at: .at(unix))
    }

    /// Fires everything that is due, commits it, and evicts all states.
    func evict(at unix: Double) throws {
        try run(.tick(LanePace()), at: unix)
        try commit(at: unix)
        try run(.evict(.infinity), at: unix)
    }
}

extension StateDirectory {
    /// A state directory inside `folder`.
    convenience init(in folder: TemporaryDirectory) throws {
        try self.init(path: folder.path("state"), logger: DurableLane.logger)
    }

    /// A state directory inside a folder that is removed once nothing holds it any more.
    static func temporary() throws -> (TemporaryDirectory, StateDirectory) {
        let folder = try TemporaryDirectory()
        return (folder, try StateDirectory(in: folder))
    }

    /// The lane's file.
    var file: String { "\(path)/safety.sqlite" }

    /// The ids of the devices that are on disk.
    func devices() throws -> [String] {
        try DatabaseQueue.readOnly(file).read { try String.fetchAll($0, sql: "SELECT device FROM state ORDER BY device") }
    }

    /// Changes parts of states in the lane's file from outside.
    func changeParts(_ body: (inout StatePart) -> Void) throws {
        try DatabaseQueue(path: file).write { try $0.changeParts { _, part in body(&part) } }
    }

    /// Changes the lane's file from outside.
    func execute(_ statement: String, file: String? = nil) throws {
        try DatabaseQueue(path: file ?? self.file).writeWithoutTransaction { try $0.execute(sql: statement) }
    }
}

extension GatewayTime {
    /// An instant at which both clocks read the same.
    static func at(_ unix: Double) -> GatewayTime { GatewayTime(unix: UnixTime(unix), monotonic: unix) }
}

/// The error that a test throws.
struct Broken: Error {}

extension Database {
    /// Changes the parts that share the rows of the devices' states.
    func changeParts(_ body: (_ device: String, inout StatePart) -> Void) throws {
        for row in try Row.fetchAll(self, sql: "SELECT device, parts FROM state") {
            let device: String = row["device"]
            var changed = StateRow()
            for var part in StateRow.parts(of: Array(row["parts"] as Data)).parts {
                body(device, &part)
                changed.append(part)
            }
            try execute(sql: "UPDATE state SET parts = ? WHERE device = ?", arguments: [Data(changed.bytes), device])
        }
    }
}
