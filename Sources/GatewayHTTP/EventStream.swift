import Synchronization

/// A bounded queue of server-sent events between the code that sends them and one client.
///
/// When the client reads too slowly and the queue is full, the stream ends and its connection is closed.
package final class EventStream: Sendable {
    /// What the connection does next.
    enum Step: Equatable {
        case write([UInt8])
        case wait
        /// Everything has been written.
        case finish
        /// The queue overflowed.
        case cut
    }

    private struct Contents {
        var queue: [[UInt8]] = []
        /// Bytes of the events in the queue.
        var bytes = 0
        var isFinished = false
        var isCut = false
        var isClosed = false
        var wake: (@Sendable () -> Void)?

        var hasEnded: Bool { isFinished || isCut || isClosed }

        mutating func takeFirst() -> [UInt8] {
            let event = queue.removeFirst()
            bytes -= event.count
            return event
        }

        mutating func empty() { (queue, bytes) = ([], 0) }
    }

    private let capacity: Int
    private let mostBytes: Int
    private let contents = Mutex(Contents())

    /// Creates an empty stream that holds at most `capacity` events, and at most `mostBytes` behind the first. That one may be of
    /// any size: it may be all that a page shows.
    package init(capacity: Int, mostBytes: Int = 8_388_608) { (self.capacity, self.mostBytes) = (capacity, mostBytes) }

    /// Appends an event; false once the stream has ended, also because it was full.
    @discardableResult
    package func send(_ event: ServerSentEvent) -> Bool { send(event.bytes) }

    /// Appends an encoded event; false once the stream has ended, also because it was full.
    @discardableResult
    package func send(_ event: [UInt8]) -> Bool {
        let (wake, isOpen) = contents.withLock { contents in
            guard !contents.hasEnded else { return ((@Sendable () -> Void)?.none, false) }
            let behindFirst = contents.queue.first.map { contents.bytes - $0.count + event.count } ?? 0
            if contents.queue.count >= capacity || behindFirst > mostBytes {
                contents.isCut = true
                contents.empty()
                return (contents.wake, false)
            }
            contents.queue.append(event)
            contents.bytes += event.count
            return (contents.queue.count == 1 ? contents.wake : nil, true)
        }
        wake?()
        return isOpen
    }

    /// Ends the stream after the events that wait.
    package func finish() {
        let wake = contents.withLock { contents in
            contents.isFinished = true
            return contents.wake
        }
        wake?()
    }

    /// Whether it takes no further events: finished, overflowed, or the client is gone.
    package var hasEnded: Bool { contents.withLock(\.hasEnded) }

    /// Whether the queue overflowed.
    var wasCut: Bool { contents.withLock { $0.isCut } }

    /// Calls `wake` from now on when there is something to do.
    func attach(_ wake: @escaping @Sendable () -> Void) { contents.withLock { $0.wake = wake } }

    /// The next step; an event is handed out once.
    func next() -> Step {
        contents.withLock { contents in
            if contents.isCut { return .cut }
            if !contents.queue.isEmpty { return .write(contents.takeFirst()) }
            return contents.isFinished ? .finish : .wait
        }
    }

    /// The client is gone.
    func close() {
        contents.withLock { contents in
            contents.isClosed = true
            contents.empty()
            contents.wake = nil
        }
    }
}

/// One event as the HTML standard defines it.
package struct ServerSentEvent: Sendable, Equatable {
    /// The event in bytes.
    package let bytes: [UInt8]

    /// Creates an event; line feeds in `data` become several data lines, other separators of lines, as U+2028, stay in it. `id` and `name` must
    /// be free of line feeds.
    package init(id: UInt64? = nil, name: String, data: String) {
        var text = id.map { "id: \($0)\n" } ?? ""
        text += "event: \(name)\n"
        let lines = data.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        for line in lines { text += "data: \(line)\n" }
        bytes = Array((text + "\n").utf8)
    }
}
