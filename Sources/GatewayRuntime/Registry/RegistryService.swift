import GatewayConfiguration
import GatewayPipeline
import Logging
import ServiceLifecycle
import UnixSignals

/// Puts a changed registry into force without a restart: on SIGHUP, and when the file is seen to have changed.
///
/// A file with problems changes nothing and is reported.
struct RegistryService: Service {
    /// A file that is being written is read again by the next look.
    private static let lookSeconds = 1.0

    let configuration: GatewayConfiguration
    let producers: Producers
    let lanes: Lanes
    let status: StatusPublisher
    let clock: any GatewayClock
    let logger: Logger

    /// Watches until the gateway stops.
    func run() async throws {
        guard let file = configuration.registry.file else {
            try? await gracefulShutdown()
            return
        }
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { await reload() }
                }
                group.addTask { await watch(file) }
                try await group.waitForAll()
            }
        }
    }

    private func watch(_ file: String) async {
        var seen = TextFile.stamp(file)
        while !Task.isCancelled {
            do { try await clock.sleep(seconds: Self.lookSeconds) } catch { return }
            let current = TextFile.stamp(file)
            if current != seen { await reload() }
            seen = current
        }
    }

    private func reload() async {
        let (registry, problems) = configuration.loadRegistry(for: producers)
        guard let registry, problems.isEmpty else {
            let text = problems.map(\.description).joined(separator: "; ")
            logger.error("registry not changed: the file has problems", metadata: ["problems": "\(text)"])
            await status.note(registryProblem: text)
            return
        }
        let policy = AccessPolicy(registry)
        do {
            try await lanes.replace(policy: policy, at: clock.now)
        } catch {
            logger.error("the registry is not in force for every device", metadata: ["reason": "\(error)"])
            await status.note(registryProblem: "\(error)")
            return
        }
        logger.info("registry in force", metadata: ["devices": "\(registry.devices.count)"])
        await status.note(registryProblem: nil)
    }
}
