/// A device that produces its messages one after another, in order of time, and nothing else: no clock, no I/O.
///
/// A device is a value: a copy of it produces the same messages again. Without a duration it never ends, and only what
/// is about to be sent is in memory.
package protocol SimulatedDevice: Sequence, IteratorProtocol, Sendable where Element == SimulatedMessage {
    /// The id of the device and the start of its clocks.
    var origin: DeviceOrigin { get }

    /// Sent by the broker if the device vanishes: `status` offline, to be registered as the retained last will.
    var lastWill: SimulatedMessage { get }

    /// When the next message is due, unix seconds, without building it; nil after the last.
    mutating func nextInstant() -> Double?

    /// Ends the device before its end, at an instant in unix seconds: the end of its workout and `status` offline. Nothing follows.
    mutating func stop(at unix: Double) -> [SimulatedMessage]
}

/// A device that fills a schedule stretch by stretch.
protocol ScriptedDevice: SimulatedDevice {
    var schedule: Schedule { get set }

    /// Adds what is sent during the next stretch of the device's life and moves the schedule's horizon to its end.
    mutating func advance()
}

extension ScriptedDevice {
    /// The id of the device and the start of its clocks.
    package var origin: DeviceOrigin { schedule.origin }

    /// The `status` offline that the broker sends if the device vanishes.
    package var lastWill: SimulatedMessage { schedule.lastWill }

    /// When the next message is due, unix seconds; nil after the last.
    package mutating func nextInstant() -> Double? {
        while !schedule.isSettled { advance() }
        return schedule.firstInstant
    }

    /// Ends the device, and gives what it sends of that.
    package mutating func stop(at unix: Double) -> [SimulatedMessage] { schedule.stop(at: unix) }

    /// The next message; nil once the device is offline.
    package mutating func next() -> SimulatedMessage? {
        repeat {
            while !schedule.isSettled { advance() }
            if let message = schedule.removeFirst() { return message }
        } while !schedule.isEmpty
        return nil
    }
}
