import NIOCore
import Synchronization

/// The connections of a server, and the places that are left.
final class Connections: Sendable {
    private struct Contents {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var eventStreams = 0
        var isStopped = false
    }

    private let limits: HTTPServerLimits
    private let contents = Mutex(Contents())

    init(limits: HTTPServerLimits) { self.limits = limits }

    /// Adds a connection until it closes; false when there are too many.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isAdded = contents.withLock { contents in
            guard !contents.isStopped, contents.channels.count < limits.connections else { return false }
            contents.channels[id] = channel
            return true
        }
        if isAdded { channel.closeFuture.whenComplete { [self] _ in contents.withLock { $0.channels[id] = nil } } }
        return isAdded
    }

    /// Takes a place for an event stream; false when there is none.
    func takeEventStream() -> Bool {
        contents.withLock { contents in
            guard contents.eventStreams < limits.eventStreams else { return false }
            contents.eventStreams += 1
            return true
        }
    }

    /// Returns the place of an event stream.
    func returnEventStream() { contents.withLock { $0.eventStreams -= 1 } }

    /// Closes every connection and takes no more.
    func stop() async {
        let channels = contents.withLock { contents in
            contents.isStopped = true
            return Array(contents.channels.values)
        }
        for channel in channels { try? await channel.close() }
    }
}
