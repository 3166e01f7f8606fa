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

/// The workers of one lane for everything, on a state directory; another one on the same directory is the gateway started again.
struct DurableLane {
    let published = CollectedMessages()
    let workers: LaneWorkers

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let everybody = AccessPolicy(unknown: .everything)

    init(
        in directory: StateDirectory, policy: AccessPolicy = DurableLane.everybody,
        settings: PipelineSettings = PipelineHarness.settings
    ) throws {
        workers = LaneWorkers(
            plan: .single(of: GatewayConfiguration()), settings: settings, door: Door(policy: policy, settings: settings),
            count: 2, egress: published, storage: try directory.storage(of: .safety, workers: 2, payloadBytes: 1_000))
    }

    /// Starts as a gateway does: puts back what is on disk, and begins.
    func start(at unix: Double) async throws {
        _ = try await workers.restore(at: .at(unix))
        try await workers.run(.begin, at: .at(unix))
    }

    /// Processes frames, each when it came; what that published comes back.
    @discardableResult
    func take(_ frames: [RecordedMessage]) async throws -> [DerivedJSON] {
        published.clear()
        for frame in frames { try await workers.process([frame.message], at: .at(frame.at)) }
        return published.all
    }

    /// Runs one step; what that published comes back.
    @discardableResult
    func run(_ step: PipelineStep, at unix: Double) async throws -> [DerivedJSON] {
        published.clear()
        try await workers.run(step, at: .at(unix))
        return published.all
    }

    /// Writes a checkpoint.
    func checkpoint(at unix: Double, settle: @Sendable () async throws -> Void = {}) async throws {
        try await workers.checkpoint(at: .at(unix), settle: settle)
    }

    /// Lets everything that is due fire, writes it down, and lets go of all states.
    func evict(at unix: Double) async throws {
        try await run(.tick(LanePace()), at: unix)
        try await checkpoint(at: unix)
        try await run(.evict(.infinity), at: unix)
    }
}

extension StateDirectory {
    /// A state directory inside `folder`.
    convenience init(in folder: TemporaryDirectory) throws {
        try self.init(path: folder.path("state"), logger: DurableLane.logger)
    }

    /// The lane's file.
    var file: String { "\(path)/safety.sqlite" }

    /// The ids of the devices that are on disk.
    func devices() throws -> [String] {
        try DatabaseQueue(path: file).read { try String.fetchAll($0, sql: "SELECT DISTINCT device FROM part ORDER BY device") }
    }

    /// Changes the lane's file as somebody else might.
    func execute(_ statement: String) throws {
        try DatabaseQueue(path: file).writeWithoutTransaction { try $0.execute(sql: statement) }
    }
}

extension GatewayTime {
    /// An instant at which both clocks read the same.
    static func at(_ unix: Double) -> GatewayTime { GatewayTime(unix: UnixTime(unix), monotonic: unix) }
}

/// Something that went wrong because a test wanted it to.
struct Broken: Error {}
