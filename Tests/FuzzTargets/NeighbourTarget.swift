import GatewayPipeline
import TelemetryModel

internal import Foundation

/// A device that means harm beside one that does not: two gateways get the same frames of the second one, one of them those of the first too.
///
/// Both publish the same messages of the second one, and know the same of it in the end. Where reports of histories are interrupted, what is
/// derived of its history may come later, as one history is derived after the other; its days are the same in the end.
enum NeighbourTarget {
    /// The most steps of a plan.
    private static let mostSteps = 128

    static func run(_ input: [UInt8]) {
        var rest = FuzzInput(input)
        var run = NeighbourRun(rules[rest.index(below: rules.count)], plan: input)
        for _ in 0..<mostSteps where !rest.isEmpty { run.step(&rest) }
        run.finish()
    }

    /// Budgets and room as usual, budgets that a few frames exceed, and a broker that delivers again late.
    private static let rules = {
        var plentiful = FuzzGateway.settings
        plentiful.producers = MessageTargets.producers
        // The rogue device alone can need more; the other one never needs half of it.
        plentiful.waitingBytes = 192 * 1_024
        plentiful.history.reportSeconds = 60
        var scarce = plentiful
        scarce.budget.unitsPerSecond = 0.02
        var late = plentiful
        late.intake.redeliverySeconds = 20
        return [plentiful, scarce, late].map(FuzzRules.init)
    }()
}

/// A plan under way.
private struct NeighbourRun {
    private var both: FuzzGateway
    private var alone: FuzzGateway
    private var good = FuzzDevice("d1")
    private var rogue = FuzzRogue("d2")
    private var stores = (both: FuzzStore(), alone: FuzzStore())
    /// Messages that were sent since the last checkpoint: a broker delivers them again.
    private var unacknowledged: [(message: InboundMessage, isRogue: Bool)] = []
    /// The days of the good device as they were published last, without what depends on how often and when, by `at`.
    private var days = (both: [Double: NSDictionary](), alone: [Double: NSDictionary]())
    /// Whether reports of histories were interrupted.
    private var isInterrupted = false
    private let plan: [UInt8]

    /// The ids of the devices.
    private static let ids = (good: FuzzGateway.identifier("d1"), rogue: FuzzGateway.identifier("d2"))

    init(_ rules: FuzzRules, plan: [UInt8]) {
        let policy = Self.policy(of: 0)
        (both, alone) = (FuzzGateway(rules, policy: policy), FuzzGateway(rules, policy: policy))
        self.plan = plan
        trace("plan \(hex)")
    }

    /// A registry with another policy of the rogue device for each number below 8.
    private static func policy(of number: Int) -> AccessPolicy {
        var rogue: DevicePolicy? = .everything
        switch number {
        case 1: rogue = nil
        case 2: rogue?.streams = [.submersion, .status]
        case 3: rogue?.entitlement = DepthEntitlement.none
        case 4: rogue?.needsSession = true
        case 5: rogue?.authorization = .denied
        case 6: rogue?.isStandardised = true
        case 7: rogue?.consents = [.sleep]
        default: break
        }
        return AccessPolicy(devices: [ids.good: .everything].merging(rogue.map { [ids.rogue: $0] } ?? [:]) { $1 })
    }

    mutating func step(_ input: inout FuzzInput) {
        switch input.index(below: 24) {
        case 0...2: send(good.depth(&input))
        case 3: send(good.motion(&input))
        case 4: send(good.event(&input))
        case 5: send(good.other(&input))
        case 6: send(good.recorded(&input))
        case 7: good.reboot(&input)
        case 8: good.skip(&input, of: input.byte() & 1 == 0 ? "submersion" : "device-motion")
        case 9: pass(Double(input.byte()) / 4)
        case 10: pass(Double(input.byte()) / 4, steps: input.index(below: 4))
        case 11: checkpoint()
        case 12: restart()
        case 13:
            let policy = Self.policy(of: input.index(below: 8))
            change { $0.replace(policy: policy) }
        case 14: change { $0.erase(Self.ids.rogue) }
        case 15: compare(both.awaitRedelivery(), alone.awaitRedelivery())
        default:
            // Many at once: a flood.
            for _ in 0...Int(input.byte() >> 5) {
                send(rogue.message(&input, at: both.now.unix.seconds), isRogue: true)
            }
        }
    }

    mutating func finish() {
        pass(120)
        compare(both.end(), alone.end())
        checkpoint()
        for _ in 0..<3 { pass(1_800) }
        check(days.both == days.alone, "the days of the good device differ: \(days.both)\n\(days.alone)")
        guard !isInterrupted else { return }
        let (with, without) = (both.state(of: Self.ids.good) ?? DeviceState(), alone.state(of: Self.ids.good) ?? DeviceState())
        check(with == without, "the state of the good device differs in \(with.differences(from: without))")
    }

    private mutating func send(_ message: InboundMessage, isRogue: Bool = false) {
        trace("\(both.now.unix.seconds) \(message.topic) \(String(decoding: message.payload.prefix(400), as: UTF8.self))")
        unacknowledged.append((message, isRogue))
        // What is due fires before a message, whoever sent it.
        pass(0)
        compare(both.send(message), isRogue ? [] : alone.send(message))
        pass(1.0 / 128)
    }

    private mutating func pass(_ seconds: Double, steps: Int = .max) {
        if steps != .max { isInterrupted = true }
        compare(both.pass(seconds, steps: steps), alone.pass(seconds, steps: steps))
    }

    /// A change of the rogue device by the operator; what it leads to is written at once.
    private mutating func change(_ body: (inout FuzzGateway) -> [OutboundMessage]) {
        checkpoint()
        compare(body(&both), body(&alone))
        checkpoint()
    }

    private mutating func checkpoint() {
        stores.both.write(both.checkpoint())
        stores.alone.write(alone.checkpoint())
        unacknowledged = []
    }

    /// Ends both gateways without warning, and begins others with what was written.
    private mutating func restart() {
        trace("\(both.now.unix.seconds) restart")
        var published = (both: [OutboundMessage](), alone: [OutboundMessage]())
        both = both.successor(restoring: stores.both, output: &published.both)
        alone = alone.successor(restoring: stores.alone, output: &published.alone)
        compare(published.both, published.alone)
        for (message, isRogue) in unacknowledged {
            compare(both.send(message, isQueued: true), isRogue ? [] : alone.send(message, isQueued: true))
        }
    }

    /// Compares what is published of the good device.
    private mutating func compare(_ published: [OutboundMessage], _ expected: [OutboundMessage]) {
        let (found, expected) = (ofGood(published), ofGood(expected))
        let (here, there) = (current(found, into: &days.both), current(expected, into: &days.alone))
        for (message, wanted) in zip(here, there) where message != wanted {
            check(false, "\(text(message))\nis published, expected was\n\(text(wanted))")
        }
        let more = here.count > there.count ? here[there.count] : there.count > here.count ? there[here.count] : nil
        if let more { check(false, "\(here.count) messages for \(there.count), such as \(text(more))") }
    }

    private func ofGood(_ messages: [OutboundMessage]) -> [OutboundMessage] {
        for message in messages { trace("    \(text(message))") }
        return messages.filter { $0.topic.hasPrefix("wearables/\(Self.ids.good)/") }
    }

    /// Those that do not follow from a history, once reports were interrupted: they come later then, and with fewer revisions between.
    private func current(_ messages: [OutboundMessage], into days: inout [Double: NSDictionary]) -> [OutboundMessage] {
        for message in messages where message.topic.hasSuffix("/out/day") && !message.payload.isEmpty {
            guard var day = try? JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any],
                let at = day["at"] as? Double
            else { fatalError("no day is published: \(text(message))") }
            for name in ["id", "revision", "received", "source"] { day[name] = nil }
            days[at] = day as NSDictionary
        }
        guard isInterrupted else { return messages }
        return messages.filter { !String(decoding: $0.payload, as: UTF8.self).contains("recorded-accelerometer") }
    }

    private func text(_ message: OutboundMessage) -> String {
        "\(message.topic) \(String(decoding: message.payload, as: UTF8.self))"
    }

    private func check(_ holds: Bool, _ text: @autoclosure () -> String) {
        require(holds, "\(text())\nplan \(hex)")
    }

    private var hex: String { plan.map { String(format: "%02x", $0) }.joined() }
}
