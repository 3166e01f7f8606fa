import GatewayPipeline
import Logging
import ServiceLifecycle
import TelemetryModel

/// Carries out requests to erase devices, once all lanes run.
struct ErasureService: Service {
    /// The interval at which the folder is read.
    private static let checkSeconds = 0.5

    let requests: ErasureRequests
    let deadLetters: DeadLetterFolder
    let keeper: RefusedKeeper
    let lanes: LaneRegistry
    let settings: PipelineSettings
    let reading: Gate
    let clock: any GatewayClock
    let logger: Logger

    /// Runs until the gateway stops.
    func run() async throws {
        // A gateway that stops before all lanes read has none that could erase anything.
        let isReading = await withGracefulShutdownHandler {
            await reading.wait()
        } onGracefulShutdown: {
            reading.open(false)
        }
        guard isReading else {
            try? await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            var problem: String?
            while !Task.isCancelled {
                do {
                    for device in try requests.devices() { try await erase(device) }
                    problem = nil
                } catch {
                    // The request stays, and is carried out once it can be.
                    if problem != "\(error)" { logger.error("a device is not erased yet", metadata: ["reason": "\(error)"]) }
                    problem = "\(error)"
                }
                try? await clock.sleep(untilNext: Self.checkSeconds)
            }
        }
    }

    private func erase(_ device: DeviceID) async throws {
        guard await isCommitted(device) else {
            if Task.isCancelled { return }
            throw GatewayError("\(device): a lane could not commit it")
        }
        let policy = lanes.admission.policy
        // Each dead letter is read.
        try await BlockingCall.run { [deadLetters, requests, settings, keeper] in
            try keeper.erase(prefix: OutboundEncoder(settings).topic("", of: device))
            let senders = SenderReader(settings: settings)
            try deadLetters.remove { senders.read($0).device(policy, settings.topics) == device }
            try requests.remove(device)
        }
        logger.notice("everything stored of a device is erased", metadata: ["device": "\(device)"])
    }

    /// Whether all lanes have committed that a device is erased; false when the gateway stops before: a lane may wait for the broker for
    /// longer than a stop may take.
    private func isCommitted(_ device: DeviceID) async -> Bool {
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
        Task { [lanes] in
            continuation.yield(await lanes.erase(device))
            continuation.finish()
        }
        return await answers.first { _ in true } ?? false
    }
}
