import GatewayPipeline
import Mosquitto
import Synchronization

/// Requests of other threads and tasks to a lane's thread.
final class LaneMailbox: Sendable {
    /// A request to be carried out on the lane's thread.
    enum Request: Sendable {
        /// Run a command; `done` is resumed afterwards.
        case run(PipelineCommand, done: CheckedContinuation<Void, Never>?)
        /// Return the lane's counts.
        case report(CheckedContinuation<LaneSnapshot, Never>)
    }

    private struct Contents {
        var requests: [Request] = []
        /// The counts when the lane ended; nil while it runs.
        var last: LaneSnapshot?
    }

    private let contents = Mutex(Contents())
    private let wakeUp: WakeUp

    /// A mailbox whose thread sleeps on `wakeUp`.
    init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

    /// Queues `command` for the lane.
    func post(_ command: PipelineCommand) { post(.run(command, done: nil)) }

    /// Queues `command` for the lane; returns after it has run, or when the lane has ended.
    func run(_ command: PipelineCommand) async {
        await withCheckedContinuation { post(.run(command, done: $0)) }
    }

    /// The lane's counts.
    var snapshot: LaneSnapshot {
        get async { await withCheckedContinuation { post(.report($0)) } }
    }

    /// The requests since the last call; for the lane's thread.
    func take() -> [Request] {
        contents.withLock { contents in
            defer { contents.requests = [] }
            return contents.requests
        }
    }

    /// Ends the mailbox: every request, now or later, is answered at once. Only the first call counts.
    func close(_ last: LaneSnapshot) {
        let requests = contents.withLock { contents in
            contents.last = contents.last ?? last
            defer { contents.requests = [] }
            return contents.requests
        }
        for request in requests { Self.answer(request, last) }
    }

    private func post(_ request: Request) {
        let last = contents.withLock { contents in
            if contents.last == nil { contents.requests.append(request) }
            return contents.last
        }
        if let last { return Self.answer(request, last) }
        wakeUp.signal()
    }

    private static func answer(_ request: Request, _ last: LaneSnapshot) {
        switch request {
        case .run(_, let done): done?.resume()
        case .report(let continuation): continuation.resume(returning: last)
        }
    }
}
