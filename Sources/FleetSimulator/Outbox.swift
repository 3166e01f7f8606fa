import JSONText

/// The messages of a device that are not sent yet, in order of time.
///
/// A body is written only when its message is taken out, so that ten thousand devices waiting for their turn hold
/// closures and not payloads. Times are seconds since the device's start.
struct Outbox: Sendable {
    typealias Body = @Sendable (inout JSONWriter) -> Void

    private struct Entry: Sendable {
        let elapsed: Double
        let stream: SimulatedStream
        let body: Body
    }

    let origin: DeviceOrigin

    /// The instant before which nothing more will be added.
    private(set) var horizon = 0.0

    private var entries: [Entry] = []
    private var sequences: [SimulatedStream: Int] = [:]

    init(origin: DeviceOrigin, profile: DeviceProfile) {
        self.origin = origin
        send(.status, after: 0) { profile.writeOnline(into: &$0) }
        if let duration = origin.duration {
            insert(.status, after: duration) { DeviceProfile.writeOffline(into: &$0) }
        }
    }

    /// Seconds at which the device goes offline.
    var end: Double { origin.duration ?? .infinity }

    /// Whether the first entry is certain to be the next message, or there is none and never will be.
    var isSettled: Bool {
        horizon >= end || entries.first.map { $0.elapsed < horizon } ?? false
    }

    /// When the first entry is due, unix seconds.
    var firstInstant: Double? {
        entries.first.map { origin.unix(after: $0.elapsed) }
    }

    /// Adds a message; what would leave after the device went offline is lost.
    mutating func send(_ stream: SimulatedStream, after elapsed: Double, body: @escaping Body) {
        guard elapsed < end else { return }
        insert(stream, after: elapsed, body: body)
    }

    /// Adds the last message of a retained stream, sent just before the device goes offline, if it does.
    mutating func sendAtEnd(_ stream: SimulatedStream, body: @escaping Body) {
        guard let last = entries.last, origin.duration != nil else { return }
        entries.insert(Entry(elapsed: last.elapsed, stream: stream, body: body), at: entries.count - 1)
    }

    /// Promises that everything sent before `elapsed` has been added.
    mutating func complete(through elapsed: Double) {
        horizon = max(horizon, elapsed)
    }

    /// Takes out the first entry as a message with its header written.
    mutating func removeFirst() -> SimulatedMessage? {
        guard !entries.isEmpty else { return nil }
        let entry = entries.removeFirst()
        let sequence = sequences[entry.stream, default: 0]
        sequences[entry.stream] = sequence + 1

        var writer = JSONWriter()
        writer.object {
            $0.field("schema", "wearables/1")
            $0.field("boot", origin.boot)
            $0.field("seq", sequence)
            $0.field("uptime", origin.uptime(after: entry.elapsed), decimals: 6)
            $0.field("sent", origin.unix(after: entry.elapsed), decimals: 6)
            entry.body(&$0)
        }
        return message(entry.stream, after: entry.elapsed, payload: writer.bytes)
    }

    /// The retained `status` that the broker publishes when the device vanishes: no sequence number, no time.
    var lastWill: SimulatedMessage {
        var writer = JSONWriter()
        writer.object {
            $0.field("schema", "wearables/1")
            $0.field("boot", origin.boot)
            DeviceProfile.writeOffline(into: &$0)
        }
        return message(.status, after: 0, payload: writer.bytes)
    }

    private mutating func insert(_ stream: SimulatedStream, after elapsed: Double, body: @escaping Body) {
        // Both clocks of a frame are written to the microsecond: whole ones keep their difference the same in every frame.
        let instant = (elapsed * 1e6).rounded() / 1e6
        let index = entries.lastIndex { $0.elapsed <= instant }.map { $0 + 1 } ?? 0
        entries.insert(Entry(elapsed: instant, stream: stream, body: body), at: index)
    }

    private func message(_ stream: SimulatedStream, after elapsed: Double, payload: [UInt8]) -> SimulatedMessage {
        SimulatedMessage(
            at: origin.unix(after: elapsed),
            device: origin.device,
            stream: stream,
            retain: stream == .status || stream == .workout,
            payload: payload
        )
    }
}
