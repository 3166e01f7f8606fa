import GatewayConfiguration
package import GatewayPipeline
import Logging
import Mosquitto
import Synchronization
import TelemetryModel

/// Requests of other threads and tasks to a lane's thread.
final class LaneMailbox: Sendable {
    /// A request to be carried out on the lane's thread.
    enum Request: Sendable {
        /// Run a command; `done` is resumed afterwards.
        case run(PipelineCommand, done: CheckedContinuation<Void, Never>?)
        /// Return the last message of each kind of a device.
        case messages(DeviceID, CheckedContinuation<[StoredMessage], Never>)
        /// Return when the first of the messages that wait for an earlier frame arrived.
        case incompleteSince(CheckedContinuation<Double?, Never>)
        /// Erase a device; resumed once that is committed, with false if it cannot be.
        case erase(DeviceID, CheckedContinuation<Bool, Never>)
        /// Acknowledge an alarm; resumed once that is committed.
        case acknowledge(AlarmAcknowledgement, DeviceID, CheckedContinuation<AlarmAnswer, Never>)
    }

    private struct Contents {
        var requests: [Request] = []
        var snapshot = LaneSnapshot()
        var isClosed = false
    }

    /// The lane.
    let lane: GatewayConfiguration.Lanes.Name
    private let contents = Mutex(Contents())
    private let wakeUp: WakeUp

    /// A mailbox of `lane`, whose thread sleeps on `wakeUp`.
    init(lane: GatewayConfiguration.Lanes.Name, wakeUp: WakeUp) {
        self.lane = lane
        self.wakeUp = wakeUp
    }

    /// Queues `command` for the lane.
    func post(_ command: PipelineCommand) { post(.run(command, done: nil)) }

    /// Queues `command` for the lane; returns after it has run, or when the lane has ended.
    func run(_ command: PipelineCommand) async {
        await withCheckedContinuation { post(.run(command, done: $0)) }
    }

    /// The lane's counts, as its thread has published them last.
    var snapshot: LaneSnapshot { contents.withLock { $0.snapshot } }

    /// Publishes the lane's counts; for the lane's thread.
    func publish(_ snapshot: LaneSnapshot) { contents.withLock { $0.snapshot = snapshot } }

    /// The last message of each kind of `device` that the lane has in memory; none when the lane has ended.
    func messages(of device: DeviceID) async -> [StoredMessage] {
        await withCheckedContinuation { post(.messages(device, $0)) }
    }

    /// When the first of the messages that wait for an earlier frame arrived, on the monotonic clock; nil when none does, or the lane has
    /// ended.
    func incompleteSince() async -> Double? { await withCheckedContinuation { post(.incompleteSince($0)) } }

    /// Erases everything that the lane stores of `device`; returns once that is committed. False when it could not be.
    func erase(_ device: DeviceID) async -> Bool { await withCheckedContinuation { post(.erase(device, $0)) } }

    /// Acknowledges an alarm of `device`; returns once that is committed.
    func acknowledge(_ acknowledgement: AlarmAcknowledgement, of device: DeviceID) async -> AlarmAnswer {
        await withCheckedContinuation { post(.acknowledge(acknowledgement, device, $0)) }
    }

    /// The requests since the last call; for the lane's thread.
    func take() -> [Request] { contents.withLock { exchange(&$0.requests, with: []) } }

    /// Ends the mailbox: every request, now or later, is answered at once. `last` is what the lane has counted, nil for what it has
    /// published.
    func close(_ last: LaneSnapshot? = nil) {
        let requests = contents.withLock { contents in
            contents.isClosed = true
            if let last { contents.snapshot = last }
            return exchange(&contents.requests, with: [])
        }
        for request in requests { Self.answer(request) }
    }

    private func post(_ request: Request) {
        let isClosed = contents.withLock { contents in
            if !contents.isClosed { contents.requests.append(request) }
            return contents.isClosed
        }
        if isClosed { return Self.answer(request) }
        wakeUp.signal()
    }

    private static func answer(_ request: Request) {
        switch request {
        case .run(_, let done): done?.resume()
        case .messages(_, let continuation): continuation.resume(returning: [])
        case .incompleteSince(let continuation): continuation.resume(returning: nil)
        case .erase(_, let continuation): continuation.resume(returning: false)
        case .acknowledge(_, _, let continuation): continuation.resume(returning: .failed)
        }
    }
}

/// What became of an acknowledgement in a lane.
enum AlarmAnswer: Sendable {
    /// It is committed; the alarm as it is.
    case acknowledged(Alarm)
    /// No such alarm is raised in the lane.
    case notRaised
    /// It could not be read or committed.
    case failed
}

/// A step that concerns all devices of a lane.
package enum PipelineCommand: Sendable {
    /// The gateway has started; `changesOwner` when another one owned its devices before.
    case begin(changesOwner: Bool)
    /// The broker kept the session of the gateway's previous run.
    case resume
    /// Time has passed, as far as the lane could have read awaited messages.
    case tick(LanePace)
    /// The lane could not read for this many seconds.
    case postponeWaits(Double)
    /// Wait for what the broker may deliver again. Frames that wait already do so for as long where the session was resumed, and not where the
    /// lane is behind.
    case awaitRedelivery(extendsWaits: Bool)
    /// The operator's policy has changed.
    case replace(AccessPolicy)
    /// Other lanes have received frames of devices.
    case recordActivity([DeviceActivity])
    /// Whether other lanes may not have received yet what devices have sent.
    case awaitActivity(Bool)
    /// The broker has lost the messages that it retained.
    case restoreRetained
    /// States of devices that were silent since this instant of the monotonic clock may leave memory.
    case evict(Double)
    /// Rows that a query could not read have to be set aside.
    case setAside(StoredDamage)
    /// No more messages will arrive: waiting frames are processed.
    case drain
    /// The gateway stops.
    case end
    /// The gateway stops, and another one takes its devices.
    case handOver
}

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
            case .acknowledge(let acknowledgement, let device, let continuation):
                acknowledge(acknowledgement, of: device, continuation, at: now)
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
        afterCommit(at: now) { continuation.resume(returning: $0) }
    }

    private func acknowledge(
        _ acknowledgement: AlarmAcknowledgement, of device: DeviceID, _ continuation: CheckedContinuation<AlarmAnswer, Never>,
        at now: GatewayTime
    ) {
        do {
            guard let alarm = try lane.acknowledge(acknowledgement, of: device, at: now) else {
                return continuation.resume(returning: .notRaised)
            }
            afterCommit(at: now) { continuation.resume(returning: $0 ? .acknowledged(alarm) : .failed) }
        } catch {
            context.logger.error(
                "an alarm cannot be acknowledged",
                metadata: context.metadata.merging(["device": "\(device)", "reason": "\(error)"]) { $1 })
            continuation.resume(returning: .failed)
        }
    }
}
