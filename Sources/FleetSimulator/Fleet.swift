import HeapModule

/// Devices whose messages are merged in order of time.
///
/// A fleet is a lazy sequence: it holds its devices and what they are about to send, never what they have sent.
package struct Fleet: Sequence, IteratorProtocol, Sendable {
    /// The devices, each at the point up to which the fleet has been read.
    package private(set) var devices: [any SimulatedDevice]

    /// The devices that still have something to send.
    private var turns = Heap<Turn>()

    private struct Turn: Sendable, Comparable {
        let instant: Double
        let device: Int

        static func < (left: Turn, right: Turn) -> Bool {
            (left.instant, left.device) < (right.instant, right.device)
        }
    }

    /// Creates a fleet of devices, whose ids are to be distinct.
    package init(_ devices: [any SimulatedDevice]) {
        self.devices = devices
        for index in devices.indices { schedule(index) }
    }

    /// Creates `count` devices that take the kinds in turn, each with its own boot, clock and id (`pods-1`, `batter-1`…).
    ///
    /// They come online within the first second after `start` (unix seconds), and each runs for `duration` seconds or
    /// for ever. With another `run` the same seed gives the same frames of other boots. With a `rawBias` the devices send raw
    /// motion, and their gyroscopes have a constant bias of that length in rad/s.
    package init(
        kinds: [DeviceKind], count: Int, startingAt start: Double, duration: Double? = nil, seed: UInt64 = 1, run: UInt64 = 0,
        rawBias: Double? = nil
    ) {
        let chance = Chance(seed: seed)
        var numbers: [DeviceKind: Int] = [:]
        self.init(
            (0..<(kinds.isEmpty ? 0 : count)).map { index in
                let kind = kinds[index % kinds.count]
                let own = chance.bits(.boot, index)
                numbers[kind, default: 0] += 1
                return kind.device(
                    DeviceOrigin(
                        device: "\(kind.idPrefix)-\(numbers[kind, default: 0])",
                        unix: start + chance.uniform(.origin, 2 * index, in: 0...1),
                        uptime: chance.uniform(.origin, 2 * index + 1, in: 600...600_000),
                        seed: own,
                        duration: duration,
                        run: run,
                        rawSensors: rawBias.map { RawSensors(biasLength: $0, chance: Chance(seed: own)) }
                    ))
            })
    }

    /// When the next message is due, unix seconds; nil after the last.
    package var nextInstant: Double? { turns.min?.instant }

    /// When the last device goes offline, unix seconds; infinite where one never does.
    package var end: Double { devices.map { $0.origin.unix + ($0.origin.duration ?? .infinity) }.max() ?? -.infinity }

    /// Ends every device that is online, at an instant in unix seconds: what they send then, after which there is nothing more.
    package mutating func stop(at unix: Double) -> [SimulatedMessage] {
        turns = Heap()
        return devices.indices.flatMap { devices[$0].stop(at: unix) }
    }

    /// The next message of any device.
    package mutating func next() -> SimulatedMessage? {
        guard let turn = turns.popMin() else { return nil }
        let message = devices[turn.device].next()
        schedule(turn.device)
        return message
    }

    private mutating func schedule(_ device: Int) {
        guard let instant = devices[device].nextInstant() else { return }
        turns.insert(Turn(instant: instant, device: device))
    }
}
