@testable import GatewayRuntime

/// A random generator with a seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) << 32 | (state &* 0x2545_F491_4F6C_DD1D) >> 32
    }
}

/// A broker with a retained claim, and contests that are connected to it, in simulated time. What a contest publishes takes a while to the
/// broker, and from there to each other; each connection keeps its order.
struct ClaimBroker {
    /// A contest, and what it has decided.
    struct Member {
        var contest: ClaimContest
        var isConnected = false
        var isFrozen = false
        var isKilled = false
        /// Counts its connections: what was sent on an earlier one is lost.
        var connection = 0
        var epoch: Int?
        var changesOwner: Bool?
        var recorded: Int?
        var wonAt = Double.infinity
        var lease = -Double.infinity
        var loss: Claim?
        var isLost: Bool { loss != nil }
        var reconnectDue: Double?
        var wakeDue: Double?
    }

    private enum Event {
        case arrivesAtBroker(Claim, from: String, connection: Int)
        case arrives(Claim, isRetained: Bool, to: String, connection: Int)
    }

    private var members: [String: Member] = [:]
    private var retained: Claim?
    private var events: [(at: Double, number: Int, event: Event)] = []
    private var count = 0
    private var lastOn: [String: Double] = [:]
    private var generator: Seeded
    private let delays: ClosedRange<Double>
    private(set) var now = 0.0
    /// How long storing an epoch takes, in s; the contest does nothing else meanwhile.
    var recordSeconds: ClosedRange<Double>?
    /// Whether a connection ends the one before it.
    var connectsOne = false
    /// The most members that had the name, and a lease, at one time.
    private(set) var mostOwners = 0

    init(_ names: [String], delays: ClosedRange<Double> = 0.001...0.002, seed: Int = 1) {
        self.delays = delays
        generator = Seeded(seed)
        for name in names { start(name) }
    }

    subscript(name: String) -> Member {
        members[name] ?? Member(contest: ClaimContest(instance: name, host: "", started: 0))
    }

    /// Those that may act.
    var owners: [String] {
        members.filter { $0.value.epoch != nil && $0.value.lease > now && !$0.value.isLost && !$0.value.isKilled }.keys.sorted()
    }

    mutating func start(_ name: String, epoch: Int = 0, resuming: Set<String> = []) {
        members[name] = Member(
            contest: ClaimContest(instance: name, host: "host", started: now, epoch: epoch, resumable: resuming))
        connect(name)
    }

    mutating func connect(_ name: String) {
        if connectsOne {
            for (other, member) in members where member.isConnected && other != name && !member.isKilled {
                disconnect(other)
                members[other]?.reconnectDue = now + Double.random(in: 0.15...0.3, using: &generator)
            }
        }
        members[name]?.isConnected = true
        members[name]?.connection += 1
        members[name]?.reconnectDue = nil
        if let retained { deliver(retained, isRetained: true, to: name) }
        perform(name) { $0.connected(at: $1) }
    }

    mutating func disconnect(_ name: String) {
        members[name]?.isConnected = false
        members[name]?.contest.disconnected()
    }

    mutating func freeze(_ name: String) { members[name]?.isFrozen = true }

    mutating func wake(_ name: String) {
        members[name]?.isFrozen = false
        members[name]?.wakeDue = nil
    }

    mutating func kill(_ name: String) {
        members[name]?.isKilled = true
        members[name]?.isConnected = false
    }

    mutating func release(_ name: String) {
        if let claim = members[name]?.contest.release() { retained = claim }
        kill(name)
    }

    /// Loses the retained claim.
    mutating func forget() { retained = nil }

    mutating func run(until end: Double) {
        while now < end {
            now = min(end, max(now + Self.shortestStep, nextDue))
            for (name, member) in members where member.wakeDue.map({ $0 <= now }) ?? false { wake(name) }
            while let index = events.indices.filter({ events[$0].at <= now && !isFrozen(events[$0].event) })
                .min(by: { (events[$0].at, events[$0].number) < (events[$1].at, events[$1].number) })
            {
                handle(events.remove(at: index).event)
            }
            for name in members.keys.sorted() where members[name]?.isFrozen == false && members[name]?.isKilled == false {
                if let due = members[name]?.reconnectDue, due <= now, members[name]?.isLost == false { connect(name) }
                perform(name) { $0.tick(at: $1) }
            }
            mostOwners = max(mostOwners, owners.count)
        }
    }

    /// Rounding must not stop the time.
    private static let shortestStep = 1e-4

    /// When something happens next.
    private var nextDue: Double {
        let awake = members.values.filter { !$0.isFrozen && !$0.isKilled && !$0.isLost }
        let due = awake.flatMap { [$0.contest.nextDeadline, $0.reconnectDue].compactMap(\.self) }
        return (due + members.values.compactMap(\.wakeDue) + events.filter { !isFrozen($0.event) }.map(\.at)).min() ?? .infinity
    }

    private func isFrozen(_ event: Event) -> Bool {
        if case .arrives(_, _, let name, _) = event { members[name]?.isFrozen ?? false } else { false }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .arrivesAtBroker(let claim, let name, let connection):
            guard let member = members[name], member.connection == connection else { return }
            if claim.state != .looking { retained = claim }
            for other in members.keys.sorted() where members[other]?.isConnected == true {
                deliver(claim, isRetained: false, to: other)
            }
        case .arrives(let claim, let isRetained, let name, let connection):
            guard let member = members[name], member.isConnected, member.connection == connection else { return }
            perform(name) { $0.receive(claim, isRetained: isRetained, at: $1) }
        }
    }

    private mutating func deliver(_ claim: Claim, isRetained: Bool, to name: String) {
        guard let member = members[name], !member.isKilled else { return }
        schedule(.arrives(claim, isRetained: isRetained, to: name, connection: member.connection), on: "to \(name)")
    }

    private mutating func schedule(_ event: Event, on line: String, from start: Double? = nil) {
        let at = max(lastOn[line] ?? 0, (start ?? now) + Double.random(in: delays, using: &generator))
        lastOn[line] = at
        count += 1
        events.append((at, count, event))
    }

    private mutating func perform(_ name: String, _ change: (inout ClaimContest, Double) -> [ClaimContest.Action]) {
        guard var member = members[name], !member.isKilled, !member.isLost else { return }
        let actions = change(&member.contest, now)
        members[name] = member
        for action in actions {
            switch action {
            case .record(let epoch):
                members[name]?.recorded = epoch
                if let recordSeconds {
                    freeze(name)
                    members[name]?.wakeDue = now + Double.random(in: recordSeconds, using: &generator)
                }
            case .publish(let claim):
                schedule(
                    .arrivesAtBroker(claim, from: name, connection: member.connection), on: "from \(name)",
                    from: members[name]?.wakeDue)
            case .win(let epoch, let changesOwner):
                members[name]?.epoch = epoch
                members[name]?.changesOwner = changesOwner
                members[name]?.wonAt = now
            case .lease(let until): members[name]?.lease = until
            case .lose(let owner): members[name]?.loss = owner
            }
        }
    }
}
