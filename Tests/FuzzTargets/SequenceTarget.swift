import GatewayPipeline
import TelemetryModel

/// Frames of two devices, with and without room in their budgets, with reboots, gaps, swapped, repeated and damaged frames, clocks that
/// jump, and restarts of the gateway between any two.
///
/// Beside those of single messages these invariants hold: an `id` has one content; a depth is published only with the time at which it was
/// measured, and never with a state above it; a state that was written, or the messages in its place, are restored without loss.
enum SequenceTarget {
    /// The most steps of a sequence.
    private static let mostSteps = 96

    static func run(_ input: [UInt8]) {
        for rules in [plentiful, scarce] {
            var input = FuzzInput(input)
            var run = SequenceRun(gateway: FuzzGateway(rules))
            for _ in 0..<mostSteps where !input.isEmpty { run.step(&input) }
            run.finish()
        }
    }

    private static let plentiful = FuzzRules(FuzzGateway.settings)

    /// Budgets that a few frames exceed.
    private static let scarce = {
        var settings = FuzzGateway.settings
        settings.budget.unitsPerSecond = 0.02
        return FuzzRules(settings)
    }()
}

/// A sequence under way.
private struct SequenceRun {
    private var gateway: FuzzGateway
    private var devices = [FuzzDevice("d1"), FuzzDevice("d2")]
    private var store = FuzzStore()
    private var output = PublishedEvents()
    /// Messages that were sent since the last checkpoint: a broker delivers them again.
    private var unacknowledged: [InboundMessage] = []
    /// A frame that is sent after the next one.
    private var delayed: InboundMessage?

    init(gateway: FuzzGateway) { self.gateway = gateway }

    mutating func step(_ input: inout FuzzInput) {
        let operation = input.index(below: 16)
        let index = input.index(below: devices.count)
        switch operation {
        case 0...4: send(devices[index].depth(&input))
        case 5: send(devices[index].motion(&input))
        case 6: send(devices[index].event(&input))
        case 7: delayed = devices[index].depth(&input)
        case 8: unacknowledged.last.map { send($0) }
        case 9: sendDamaged(devices[index].depth(&input), &input)
        case 10: devices[index].reboot(&input)
        case 11: devices[index].skip(&input)
        case 12: advance(by: Double(input.byte()) / 4)
        case 13: checkpoint()
        case 14: restart()
        default: send(devices[index].other(&input))
        }
    }

    mutating func finish() {
        if let delayed { deliver(delayed) }
        delayed = nil
        advance(by: 120)
        check(gateway.end())
        checkpoint()
    }

    private mutating func send(_ message: InboundMessage) {
        deliver(message)
        if let held = delayed {
            delayed = nil
            deliver(held)
        }
    }

    private mutating func deliver(_ message: InboundMessage) {
        trace("\(gateway.now.unix.seconds) \(message.topic) \(String(decoding: message.payload, as: UTF8.self))")
        unacknowledged.append(message)
        check(gateway.send(message))
        advance(by: 0.01)
    }

    private mutating func check(_ published: [OutboundMessage]) {
        for message in published { trace("    \(message.topic) \(String(decoding: message.payload, as: UTF8.self))") }
        output.check(published, against: devices)
    }

    /// Lets time pass. What timers publish is written at once: it depends on when the gateway ran, so that after a restart in between a
    /// frame that comes late leads to another content.
    private mutating func advance(by seconds: Double) {
        let published = gateway.advance(by: seconds)
        check(published)
        if !published.isEmpty { checkpoint() }
    }

    /// Sends a frame with other bytes in it, if it is rejected: what is accepted is another measurement.
    private mutating func sendDamaged(_ message: InboundMessage, _ input: inout FuzzInput) {
        var damaged = message
        let place = Int(input.byte()) * damaged.payload.count / 256
        let bytes = input.bytes()
        damaged.payload.replaceSubrange(place..<min(damaged.payload.count, place + bytes.count), with: bytes)
        if FuzzDevice.isRejected(damaged) { send(damaged) }
    }

    private mutating func checkpoint() {
        trace("\(gateway.now.unix.seconds) checkpoint")
        store.write(gateway.checkpoint())
        unacknowledged = []
    }

    /// Ends the gateway without warning, and begins another with what was written.
    private mutating func restart() {
        trace("\(gateway.now.unix.seconds) restart")
        var published: [OutboundMessage] = []
        gateway = gateway.successor(restoring: store, output: &published)
        check(published)
        for message in unacknowledged {
            trace("again \(message.topic) \(String(decoding: message.payload, as: UTF8.self))")
            check(gateway.send(message, isQueued: true))
        }
    }
}
