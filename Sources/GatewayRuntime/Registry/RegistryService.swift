import GatewayConfiguration
import GatewayPipeline
import Logging
import ServiceLifecycle
import UnixSignals

/// Puts a changed registry into force without a restart: on SIGHUP, and when the file changes.
///
/// A file with problems changes nothing and is reported. It is read again at each check: why it could not be read may have ended without a
/// change of the file.
struct RegistryService: Service {
    /// The interval at which the file is checked. A file that was read while it was being written has changed again at the next
    /// check.
    private static let checkSeconds = 1.0

    let configuration: GatewayConfiguration
    let producers: Producers
    let lanes: LaneRegistry
    let status: StatusPublisher
    let discovery: Discovery?
    let clock: any GatewayClock
    let logger: Logger

    /// Runs until the gateway stops.
    func run() async throws {
        guard let file = configuration.registry.file else {
            try? await gracefulShutdown()
            return
        }
        // All requests during a reload are answered by one more reload after it.
        let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { request.yield() }
                }
                group.addTask { await watch(file) { request.yield() } }
                group.addTask { for await _ in requests { await reload() } }
                try await group.waitForAll()
            }
        }
    }

    private func watch(_ file: String, onChange: () -> Void) async {
        var lastStamp = TextFile.stamp(file)
        while !Task.isCancelled {
            do { try await clock.sleep(untilNext: Self.checkSeconds) } catch { return }
            let current = TextFile.stamp(file)
            if current != lastStamp || status.conditions.registryProblem != nil { onChange() }
            lastStamp = current
        }
    }

    /// Reads the file and puts it into force. A problem that is known already is not reported again.
    private func reload() async {
        let (registry, problems) = configuration.loadRegistry(for: producers)
        guard let registry, problems.isEmpty else {
            let text = problems.map(\.description).joined(separator: "; ")
            guard text != status.conditions.registryProblem else { return }
            logger.error("registry not changed: the file has problems", metadata: ["problems": "\(text)"])
            await status.note(registryProblem: text)
            return
        }
        let policy = AccessPolicy(registry, of: configuration.gateway.partition)
        // Before the lanes clear the topics that its entities read.
        discovery?.replace(policy: policy)
        await lanes.replace(policy: policy)
        logger.info("registry in force", metadata: ["devices": "\(registry.devices.count)"])
        await status.note(registryProblem: nil)
    }
}
