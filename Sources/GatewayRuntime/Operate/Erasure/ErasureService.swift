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
            // Devices of which the broker refuses topics.
            var refused: [DeviceID: String] = [:]
            while !Task.isCancelled {
                var reason: String?
                do {
                    let failure: (any Error)?
                    (refused, failure) = try await eraseAll(refused)
                    reason = failure.map { "\($0)" } ?? refused.min { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                } catch {
                    reason = "\(error)"
                }
                if let reason, reason != problem { logger.error("a device is not erased yet", metadata: ["reason": "\(reason)"]) }
                problem = reason
                try? await clock.sleep(untilNext: Self.checkSeconds)
            }
        }
    }

    /// Erases the devices of all requests. Returns those of which the broker refuses topics, and the reason; `refused` are those of
    /// the last time: they are erased once more when it accepts the topics. Returns the first error too: the request of that device
    /// stays, and is carried out once it can be.
    private func eraseAll(_ refused: [DeviceID: String]) async throws -> (refused: [DeviceID: String], failure: (any Error)?) {
        var (left, failure): ([DeviceID: String], (any Error)?) = (refused, nil)
        let devices = try requests.devices()
        for device in devices {
            do {
                if refused[device] != nil, try await refusal(of: device) != nil { continue }
                left[device] = try await erase(device)
            } catch {
                failure = failure ?? error
            }
        }
        return (left.filter { devices.contains($0.key) }, failure)
    }

    /// Why retained messages of a device that is erased are not cleared; nil where they are.
    private func refusal(of device: DeviceID) async throws -> String? {
        try await BlockingCall.run { [settings, keeper] in
            ErasureRequests.problem(try keeper.clearing(prefix: OutboundEncoder(settings).topic("", of: device)))
        }
    }

    /// Erases a device. Returns why its retained messages are not cleared, and the request stays; nil where they are.
    private func erase(_ device: DeviceID) async throws -> String? {
        guard await isCommitted(device) else {
            if Task.isCancelled { return nil }
            throw GatewayError("\(device): a lane could not commit it")
        }
        let policy = lanes.admission.policy
        // Each dead letter is read.
        let refusal = try await BlockingCall.run { [deadLetters, requests, settings, keeper] in
            let refusal = ErasureRequests.problem(try keeper.erase(prefix: OutboundEncoder(settings).topic("", of: device)))
            let check = AdmissionCheck(policy: policy, settings: settings)
            try deadLetters.remove { check.device(of: $0) == device }
            if refusal == nil { try requests.remove(device) }
            return refusal
        }
        if refusal == nil { logger.notice("everything stored of a device is erased", metadata: ["device": "\(device)"]) }
        return refusal
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
