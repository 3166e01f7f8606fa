import GatewayPipeline
import Logging
import TelemetryModel

extension LaneSession {
    /// Carries out what others have asked for.
    func answerRequests(at now: GatewayTime) {
        for request in context.mailbox.take() {
            switch request {
            case .run(let command, let done):
                run(command, at: now)
                done?.resume()
            case .messages(let device, let continuation): continuation.resume(returning: lane.messages(of: device))
            case .incompleteSince(let continuation): continuation.resume(returning: lane.incompleteSince)
            case .erase(let device, let continuation): erase(device, continuation, at: now)
            }
        }
    }

    private func erase(_ device: DeviceID, _ continuation: CheckedContinuation<Bool, Never>, at now: GatewayTime) {
        do {
            try lane.erase(device, at: now)
        } catch {
            context.logger.error(
                "a device cannot be erased",
                metadata: context.metadata.merging(["device": "\(device)", "reason": "\(error)"]) { $1 })
            return continuation.resume(returning: false)
        }
        erasures.append(continuation)
        isStale = true
        schedule.note(1, waits: false, at: now.monotonic)
    }
}
