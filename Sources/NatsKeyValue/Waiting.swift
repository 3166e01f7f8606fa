import Dispatch
import Synchronization

/// How often a thread that waits calls what it has to call meanwhile, in seconds.
private let pauseSeconds = 0.1

/// The answers to some requests.
final class Answers: Sendable {
    private struct Contents {
        var messages: [NatsMessage?]
        var missing: Int
        var failure: NatsError?
    }

    private let contents: Mutex<Contents>
    private let signal = DispatchSemaphore(value: 0)

    init(count: Int) { contents = Mutex(Contents(messages: Array(repeating: nil, count: count), missing: count)) }

    /// Takes the answer to one request, or why there is none.
    func take(_ answer: Result<NatsMessage, NatsError>, at index: Int) {
        let isOver = contents.withLock { contents in
            switch answer {
            case .success(let message):
                contents.messages[index] = message
                contents.missing -= 1
            case .failure(let error): contents.failure = error
            }
            return contents.missing == 0 || contents.failure != nil
        }
        if isOver { signal.signal() }
    }

    /// Waits for all of them. Throws where one fails, or has not come in time.
    func wait(seconds: Double, _ whileWaiting: () -> Void) throws(NatsError) -> [NatsMessage] {
        let end = DispatchTime.now() + seconds
        while signal.wait(timeout: min(end, .now() + pauseSeconds)) == .timedOut {
            guard DispatchTime.now() < end else { throw NatsError("the server has not answered in \(seconds) s") }
            whileWaiting()
        }
        return try contents.withLock { contents throws(NatsError) in
            if let failure = contents.failure { throw failure }
            return contents.messages.compactMap(\.self)
        }
    }
}

/// How far the messages that answer one request have come.
final class StreamProgress: Sendable {
    private struct Contents {
        var count = 0
        var failure: (any Error)?
    }

    private let contents = Mutex(Contents())
    private let signal = DispatchSemaphore(value: 0)

    /// Takes a message, or why no more come; returns whether that was the last.
    func take(_ answer: Result<NatsMessage, NatsError>, _ receiver: (NatsMessage) throws -> Bool) -> Bool {
        let isOver = contents.withLock { contents in
            contents.count += 1
            do { return try receiver(answer.get()) } catch {
                contents.failure = error
                return true
            }
        }
        if isOver { signal.signal() }
        return isOver
    }

    /// Waits for the last message. Throws where they fail, or none has come for so long.
    func wait(seconds: Double) throws {
        var (count, end) = (0, DispatchTime.now() + seconds)
        while signal.wait(timeout: .now() + pauseSeconds) == .timedOut {
            let present = contents.withLock { $0.count }
            if present > count { (count, end) = (present, .now() + seconds) }
            guard DispatchTime.now() < end else { throw NatsError("the server has stopped sending for \(seconds) s") }
        }
        if let failure = contents.withLock({ $0.failure }) { throw failure }
    }
}
