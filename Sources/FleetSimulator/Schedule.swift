import WearableFrames

/// The messages of a device that are not sent yet, in order of time.
///
/// A frame is made only when its message is taken out, so that ten thousand devices waiting for their turn hold closures and
/// not payloads. Times are seconds since the device's start.
struct Schedule: Sendable {
    typealias Make = @Sendable (inout FrameBuilder, DeviceInstant) throws(FrameError) -> Frame

    private struct Entry: Sendable {
        let elapsed: Double
        let make: Make
    }

    let origin: DeviceOrigin

    /// The instant before which nothing more will be added.
    private(set) var horizon = 0.0

    private var builder: FrameBuilder
    private var entries: [Entry] = []
    /// Whether anything was sent.
    private var hasBegun = false
    /// The activity of the workout that is reported; nil for none.
    private var activity: String?

    init(origin: DeviceOrigin, status: DeviceStatus) {
        self.origin = origin
        builder = FrameBuilder(device: DeviceID(cleaning: origin.device), boot: BootID(cleaning: origin.boot))
        send(after: 0) { builder, instant throws(FrameError) in try builder.status(status, at: instant) }
        if let duration = origin.duration {
            insert(after: duration, Self.goingOffline)
        }
    }

    private static let goingOffline: Make = { builder, instant throws(FrameError) in
        try builder.status(DeviceStatus(state: .offline), at: instant)
    }

    /// The end of a workout that is reported from the device's start on.
    private func workoutEnd(_ activity: String, after elapsed: Double) -> Make {
        let ended = WorkoutChange(.ended, activity: .name(activity), timestamp: origin.uptime(after: elapsed))
        return { builder, instant throws(FrameError) in try builder.workout(ended, at: instant) }
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
    mutating func send(after elapsed: Double, _ make: @escaping Make) {
        guard elapsed < end else { return }
        insert(after: elapsed, make)
    }

    /// Adds a message that is sent just before the device goes offline, if it does.
    mutating func sendAtEnd(_ make: @escaping Make) {
        guard let last = entries.last, origin.duration != nil else { return }
        entries.insert(Entry(elapsed: last.elapsed, make: make), at: entries.count - 1)
    }

    /// Reports a workout of `activity` that runs from the device's start to its end.
    mutating func reportWorkout(_ activity: String) {
        self.activity = activity
        let began = WorkoutChange(.running, activity: .name(activity), timestamp: origin.uptime)
        send(after: 0) { builder, instant throws(FrameError) in try builder.workout(began, at: instant) }
        guard let duration = origin.duration else { return }
        sendAtEnd(workoutEnd(activity, after: duration))
    }

    /// Promises that everything sent before `elapsed` has been added.
    mutating func complete(through elapsed: Double) {
        horizon = max(horizon, elapsed)
    }

    /// Takes out the first entry as a message; nil where there is none, and for values that no frame can hold.
    mutating func removeFirst() -> SimulatedMessage? {
        guard !entries.isEmpty else { return nil }
        hasBegun = true
        let entry = entries.removeFirst()
        let instant = DeviceInstant(
            uptime: origin.uptime(after: entry.elapsed), unix: origin.unix(after: entry.elapsed))
        guard let frame = try? entry.make(&builder, instant) else { return nil }
        return SimulatedMessage(
            at: instant.unix, device: origin.device, stream: frame.stream, retain: frame.retain, payload: frame.payload)
    }

    /// Ends the device at an instant, unix seconds: takes out what it would send at its end, and nothing follows. A device that is
    /// not online sends nothing.
    mutating func stop(at unix: Double) -> [SimulatedMessage] {
        horizon = .infinity
        // The last entry of a device with an end is that it goes offline.
        let isOnline = hasBegun && (origin.duration == nil || !entries.isEmpty)
        entries = []
        guard isOnline else { return [] }
        let elapsed = ((unix - origin.unix) * 1e6).rounded() / 1e6
        if let activity { insert(after: elapsed, workoutEnd(activity, after: elapsed)) }
        insert(after: elapsed, Self.goingOffline)
        return entries.indices.compactMap { _ in removeFirst() }
    }

    /// Whether nothing is left to send.
    var isEmpty: Bool { entries.isEmpty }

    /// The retained `status` that the broker publishes when the device vanishes: no sequence number, no time.
    var lastWill: SimulatedMessage {
        let will = builder.will
        return SimulatedMessage(
            at: origin.unix, device: origin.device, stream: .status, retain: will.retain, payload: will.payload)
    }

    private mutating func insert(after elapsed: Double, _ make: @escaping Make) {
        // Both clocks of a frame are written to the microsecond: whole ones keep their difference the same in every frame.
        let instant = (elapsed * 1e6).rounded() / 1e6
        let index = entries.lastIndex { $0.elapsed <= instant }.map { $0 + 1 } ?? 0
        entries.insert(Entry(elapsed: instant, make: make), at: index)
    }
}
