import NIOCore
import Synchronization

/// The connections of a server, and the places that are left.
///
/// Where no place is left, a new connection takes that of the oldest one that has not sent a whole request, or else of the oldest one whose
/// client has not read its answer. So clients that only hold places keep nobody out. Connections whose answer is being made, and event
/// streams, keep their places.
final class Connections: Sendable {
    /// How far a connection has come.
    enum Stage: Int, Comparable {
        /// The request is not whole.
        case reading
        /// All of the answer is written; the client has not read all of it.
        case sending
        /// The answer is being made, or is an event stream.
        case answering

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Place {
        var channel: any Channel
        var number: UInt64
        var stage = Stage.reading
    }

    private struct Contents {
        var places: [ObjectIdentifier: Place] = [:]
        var nextNumber: UInt64 = 0
        var eventStreams = 0
        var isStopped = false

        /// Removes the connection that has to make room and returns it; nil when all keep their places.
        mutating func takeDisplaced() -> (any Channel)? {
            let oldest = places.filter { $0.value.stage != .answering }
                .min { ($0.value.stage, $0.value.number) < ($1.value.stage, $1.value.number) }
            return oldest.flatMap { places.removeValue(forKey: $0.key)?.channel }
        }
    }

    private let limits: HTTPServerLimits
    private let contents = Mutex(Contents())

    init(limits: HTTPServerLimits) { self.limits = limits }

    /// Adds a connection until it closes; false when there are too many.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let (isAdded, displaced) = contents.withLock { contents -> (Bool, (any Channel)?) in
            guard !contents.isStopped else { return (false, nil) }
            var displaced: (any Channel)?
            if contents.places.count >= limits.connections {
                displaced = contents.takeDisplaced()
                if displaced == nil { return (false, nil) }
            }
            contents.places[id] = Place(channel: channel, number: contents.nextNumber)
            contents.nextNumber += 1
            return (true, displaced)
        }
        displaced?.close(promise: nil)
        if isAdded { channel.closeFuture.whenComplete { [self] _ in contents.withLock { $0.places[id] = nil } } }
        return isAdded
    }

    /// Notes how far a connection has come.
    func note(_ stage: Stage, of channel: any Channel) {
        contents.withLock { $0.places[ObjectIdentifier(channel)]?.stage = stage }
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
            return contents.places.values.map(\.channel)
        }
        for channel in channels { try? await channel.close() }
    }
}
