import GatewayConfiguration
import GatewayPipeline
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Puts a changed registry into force without a restart: on SIGHUP, and when the file changes. ``RegistryTurns`` decides when.
///
/// A file with problems changes nothing and is reported.
final class RegistryService: Service {
    /// How many problems the log and the status name: they come from a file, and may be as many as it has lines.
    private static let shownProblems = 10

    private let configuration: GatewayConfiguration
    private let producers: Producers
    private let lanes: LaneRegistry
    private let status: StatusPublisher
    private let discovery: Discovery?
    private let clock: any GatewayClock
    private let logger: Logger
    private let turns: Mutex<RegistryTurns>

    init(
        configuration: GatewayConfiguration, registry: Registry, producers: Producers, lanes: LaneRegistry,
        status: StatusPublisher, discovery: Discovery?, clock: any GatewayClock, logger: Logger
    ) {
        self.configuration = configuration
        self.producers = producers
        self.lanes = lanes
        self.status = status
        self.discovery = discovery
        self.clock = clock
        self.logger = logger
        turns = Mutex(RegistryTurns(inForce: registry))
    }

    /// Runs until the gateway stops.
    func run() async throws {
        guard let file = configuration.registry.file else {
            try? await gracefulShutdown()
            return
        }
        let (readings, reading) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { self.turns.withLock { $0.request() } }
                }
                group.addTask { await self.watch(file) { reading.yield() } }
                group.addTask { for await _ in readings { await self.reload(file) } }
                try await group.waitForAll()
            }
        }
    }

    private func watch(_ file: String, read: () -> Void) async {
        while !Task.isCancelled {
            do { try await clock.sleep(untilNext: RegistryTurns.lookSeconds) } catch { return }
            let now = clock.now.monotonic
            switch turns.withLock({ $0.look(TextFile.stamp(file), at: now) }) {
            case .wait: break
            case .read: read()
            case .overdue:
                logger.error(
                    "a change of the registry is still being written, read or put into force; the one before it is in force",
                    metadata: ["seconds": "\(Int(RegistryTurns.overdueSeconds))"])
            }
            status.note(registryPendingSince: turns.withLock(\.pendingSince))
        }
    }

    /// Reads the file and puts it into force. A problem that is known already is not reported again.
    private func reload(_ file: String) async {
        defer { turns.withLock { $0.end() } }
        let loaded = try? await BlockingCall.run { [configuration, producers] in configuration.loadRegistry(for: producers) }
        let problems = loaded?.problems.map(\.description) ?? ["no thread to read it could be started"]
        let registry = problems.isEmpty ? loaded?.registry : nil
        let stamp = TextFile.stamp(file)
        let verdict = turns.withLock { $0.finish(registry, after: stamp) }
        var warning: String?
        switch verdict {
        case .discard:
            return
        case .problem:
            let more = problems.count - Self.shownProblems
            let text = (problems.prefix(Self.shownProblems) + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "; ")
            guard text != status.conditions.registryProblem else { break }
            logger.error("registry not changed: the file has problems", metadata: ["problems": "\(text)"])
            await status.note(registryProblem: text)
        case .hold(let bytes, let formerBytes):
            let text = "the file shrank from \(formerBytes) to \(bytes) bytes; it is put into force if it stays so for 5 s"
            logger.warning("registry not changed yet: \(text)", metadata: ["devices": "\(registry?.devices.count ?? 0)"])
            warning = text
            if status.conditions.registryProblem != nil { await status.note(registryProblem: nil) }
        case .same:
            logger.info("registry in force", metadata: ["devices": "\(registry?.devices.count ?? 0)"])
            if status.conditions.registryProblem != nil { await status.note(registryProblem: nil) }
        case .replace(let registry):
            let policy = AccessPolicy(registry, of: configuration.gateway.partition)
            // Before the lanes clear the topics that its entities read.
            discovery?.replace(policy: policy)
            await lanes.replace(policy: policy)
            logger.info("registry in force", metadata: ["devices": "\(registry.devices.count)"])
            await status.note(registryProblem: nil)
        }
        await status.note(warning: warning, of: "registry")
    }
}
