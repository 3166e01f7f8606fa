import GatewayPipeline
import Mosquitto
import Synchronization

/// What other threads and tasks ask of a lane's thread.
final class LaneMailbox: Sendable {
    /// Something to be done on the lane's thread.
    enum Request: Sendable {
        /// Run a command; `done` is resumed afterwards.
        case run(PipelineCommand, done: CheckedContinuation<Void, Never>?)
        /// Report what was seen so far.
        case report(CheckedContinuation<LaneSnapshot, Never>)
    }

    private struct Contents {
        var requests: [Request] = []
        /// What was seen when the lane ended; nil while it has not.
        var last: LaneSnapshot?
    }

    private let contents = Mutex(Contents())
    private let wakeUp: WakeUp

    /// A mailbox whose thread sleeps on `wakeUp`.
    init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

    /// Has the lane run `command` soon.
    func post(_ command: PipelineCommand) { post(.run(command, done: nil)) }

    /// Has the lane run `command`; returns afterwards, or when the lane has ended.
    func run(_ command: PipelineCommand) async {
        await withCheckedContinuation { post(.run(command, done: $0)) }
    }

    /// What the lane has seen so far.
    var snapshot: LaneSnapshot {
        get async { await withCheckedContinuation { post(.report($0)) } }
    }

    /// Everything that was asked for since the last call; for the lane's thread.
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
