import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("The contest for a gateway's name")
struct ClaimContestTests {
    @Test("without a claim at the broker a start has the name after half a second in which no other claim came")
    func alone() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 0.4)
        #expect(broker.owners.isEmpty)
        broker.run(until: 0.7)
        #expect(broker.owners == ["a"])
        #expect(broker["a"].epoch == 1)
    }

    @Test("an owner renews its claim, and its lease ends 2.5 s after the last one that came back")
    func renews() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 10.2)
        #expect(broker["a"].lease > 12)
        let lease = broker["a"].lease
        broker.freeze("a")
        broker.run(until: 20)
        #expect(broker["a"].lease == lease)
        #expect(broker["a"].isLost == false)
    }

    @Test(
        "an owner renews at multiples of the interval, as heartbeats are sent, whenever it has begun",
        arguments: [0.0, 0.13, 0.49])
    func renewsWithHeartbeats(start: Double) throws {
        var contest = ClaimContest(instance: "a", host: "h", started: start)
        var now = start
        var claims: [Claim] = []
        func published(_ actions: [ClaimContest.Action]) -> [Claim] {
            actions.compactMap { if case .publish(let claim) = $0 { claim } else { nil } }
        }
        claims = published(contest.connected(at: now))
        var renewals: [Double] = []
        while now < start + 5 {
            while !claims.isEmpty {
                for claim in claims.splice() { claims += published(contest.receive(claim, isRetained: false, at: now)) }
            }
            now = try #require(contest.nextDeadline)
            let renewed = published(contest.tick(at: now))
            if now > start + 2, !renewed.isEmpty { renewals.append(now) }
            claims += renewed
        }
        #expect(renewals.count >= 6)
        #expect(renewals.allSatisfy { ($0 * 2).rounded() == $0 * 2 })
    }

    @Test("a newcomer ends at once while the owner renews, and the owner goes on with its epoch")
    func liveOwner() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 5)
        broker.start("b")
        broker.run(until: 5.1)
        #expect(broker["b"].loss?.instance == "a")
        #expect(broker["b"].epoch == nil)
        broker.run(until: 8)
        #expect(broker.owners == ["a"])
        #expect(broker["a"].epoch == 1)
    }

    @Test("a newcomer takes the name 3 s after the last claim, with a higher epoch, and a retained claim is no renewal")
    func deadOwner() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 5.2)
        broker.kill("a")
        broker.start("b")
        broker.run(until: 7.9)
        #expect(broker.owners.isEmpty)
        broker.run(until: 8.9)
        #expect(broker.owners == ["b"])
        #expect(broker["b"].epoch == 2)
        #expect(broker["b"].changesOwner == true)
    }

    @Test("a start with the state directory of the last owner has the name at once")
    func resumes() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 5)
        broker.kill("a")
        broker.start("b", epoch: 1, resuming: ["x", "a"])
        broker.run(until: 5.05)
        #expect(broker.owners == ["b"])
        #expect(broker["b"].epoch == 2)
        #expect(broker["b"].changesOwner == false)
    }

    @Test("the epoch is higher than that of the state directory, although the broker has lost the claim")
    func rises() {
        var broker = ClaimBroker([])
        broker.start("a", epoch: 41, resuming: ["x"])
        broker.run(until: 1)
        #expect(broker["a"].epoch == 42)
        #expect(broker["a"].recorded == 42)
    }

    @Test("states that no earlier run has claimed the name with are another's, and a first start has none", arguments: [0, 41])
    func statesOfOther(epoch: Int) {
        var broker = ClaimBroker([])
        broker.start("a", epoch: epoch)
        broker.run(until: 1)
        #expect(broker["a"].changesOwner == (epoch > 0))
    }

    @Test("an owner that has stopped in order leaves the name, and its epoch")
    func releases() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 5.2)
        broker.release("a")
        broker.start("b")
        broker.run(until: 5.9)
        #expect(broker.owners == ["b"])
        #expect(broker["b"].epoch == 2)
    }

    @Test("an owner that stops renews its lease until its last claim has come back")
    func renewsUntilReleased() throws {
        var contest = ClaimContest(instance: "a", host: "h", started: 0)
        var now = 0.0
        var published: [Claim] = []
        var lease = -Double.infinity
        func perform(_ actions: [ClaimContest.Action]) {
            for action in actions {
                switch action {
                case .publish(let claim): published.append(claim)
                case .lease(let until): lease = until
                case .record, .win, .lose: break
                }
            }
        }
        /// Delivers what was published, and lets time pass.
        func run(until end: Double) {
            while now < end {
                for claim in published.splice() { perform(contest.receive(claim, isRetained: false, at: now)) }
                now += 0.1
                perform(contest.tick(at: now))
            }
        }
        perform(contest.connected(at: now))
        run(until: 5.2)
        #expect(lease > 7)
        let released = contest.release()
        let last = try #require(released)
        #expect(last.state == .released)
        run(until: 10)
        #expect(lease > 11)
        perform(contest.receive(last, isRetained: false, at: now))
        run(until: 15)
        #expect(lease < 13)
        #expect(published.isEmpty)
    }

    @Test("a frozen owner that wakes while another has the name ends, and permits nothing meanwhile")
    func frozen() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 5.2)
        broker.freeze("a")
        let lease = broker["a"].lease
        broker.start("b")
        broker.run(until: 15)
        #expect(lease < broker["b"].wonAt)
        broker.wake("a")
        broker.run(until: 16)
        #expect(broker["a"].loss?.instance == "b")
        #expect(broker["a"].lease == lease)
        #expect(broker.owners == ["b"])
    }

    @Test("a frozen owner that wakes in time, or whose broker was away, goes on with its epoch", arguments: [2.0, 20.0])
    func outage(seconds: Double) {
        var broker = ClaimBroker(["a"])
        broker.run(until: 5)
        broker.disconnect("a")
        broker.run(until: 5 + seconds)
        broker.connect("a")
        broker.run(until: 6 + seconds)
        #expect(broker.owners == ["a"])
        #expect(broker["a"].epoch == 1)
        #expect(broker["a"].lease > 6 + seconds)
    }

    @Test("an owner goes on although the broker has lost its claim")
    func lostClaim() {
        var broker = ClaimBroker(["a"])
        broker.run(until: 5)
        broker.disconnect("a")
        broker.forget()
        broker.run(until: 9)
        broker.connect("a")
        broker.run(until: 10)
        #expect(broker.owners == ["a"])
        #expect(broker["a"].lease > 10)
    }

    @Test("of newcomers that start together one has the name and the others name it, in every order of arrivals")
    func together() {
        for seed in 0..<300 {
            var generator = Seeded(seed)
            var broker = ClaimBroker([], delays: 0.0...0.15, seed: seed)
            var starts = ["a", "b", "c"].prefix(2 + seed % 2).map { ($0, Double.random(in: 0...0.6, using: &generator)) }
            if seed % 5 == 0 {
                broker.start("old")
                broker.run(until: 2)
                broker.kill("old")
                starts = starts.map { ($0.0, $0.1 + 2) }
            }
            for (name, at) in starts.sorted(by: { $0.1 < $1.1 }) {
                broker.run(until: at)
                broker.start(name)
            }
            broker.run(until: 9)
            #expect(broker.owners.count == 1, "seed \(seed)")
            #expect(broker.mostOwners == 1, "seed \(seed)")
            for (name, _) in starts where !broker.owners.contains(name) {
                #expect(broker[name].isLost == true, "seed \(seed): \(name)")
            }
        }
    }

    @Test("of newcomers whose disks take longer to store an epoch than a contest lasts, one has the name")
    func slowDisks() {
        for seed in 0..<300 {
            var generator = Seeded(seed)
            var broker = ClaimBroker([], delays: 0.0...0.05, seed: seed)
            broker.recordSeconds = 0.0...2.0
            for name in ["a", "b"].shuffled(using: &generator) {
                broker.run(until: broker.now + Double.random(in: 0...2, using: &generator))
                broker.start(name)
            }
            broker.run(until: 12)
            #expect(broker.owners.count == 1, "seed \(seed)")
            #expect(broker.mostOwners == 1, "seed \(seed)")
        }
    }

    @Test("of newcomers of one account, which disconnect each other, one has the name")
    func evicting() {
        for seed in 0..<100 {
            var generator = Seeded(seed)
            var broker = ClaimBroker([], delays: 0.0...0.01, seed: seed)
            broker.start("old")
            broker.run(until: 2)
            broker.kill("old")
            broker.connectsOne = true
            for name in ["a", "b"].shuffled(using: &generator) {
                broker.run(until: broker.now + Double.random(in: 0...0.1, using: &generator))
                broker.start(name)
            }
            broker.run(until: 12)
            #expect(broker.owners.count == 1, "seed \(seed)")
            #expect(broker.mostOwners == 1, "seed \(seed)")
        }
    }

    @Test("the restart of an owner wins against a newcomer that contests its name at the same moment")
    func restartAgainstNewcomer() {
        for offset in stride(from: -0.6, through: 0.1, by: 0.01) {
            var broker = ClaimBroker(["a"], delays: 0.0...0.02, seed: 7)
            broker.run(until: 5)
            broker.kill("a")
            broker.start("b")
            broker.run(until: 8.6 + offset)
            broker.start("c", epoch: 1, resuming: ["a"])
            broker.run(until: 12)
            #expect(broker.owners.count == 1, "\(offset)")
            #expect(broker.mostOwners == 1, "\(offset)")
        }
    }

    @Test("a restarted owner whose connection is lost before it has won contests the name anew: another may have it")
    func restartDisconnected() throws {
        var contest = ClaimContest(instance: "a2", host: "h", started: 0, epoch: 1, resumable: ["a1"])
        _ = contest.connected(at: 0)
        let before = Claim(instance: "a1", epoch: 1, number: 9, state: .owned, host: "h", started: 0)
        #expect(contest.receive(before, isRetained: true, at: 0.1).first == .record(epoch: 2))
        contest.disconnected()
        let claims = contest.connected(at: 5).compactMap { if case .publish(let claim) = $0 { claim } else { nil } }
        #expect(claims.map(\.state) == [.contesting])
        #expect(contest.nextDeadline == 5 + ClaimContest.renewSeconds)
        let claim = try #require(claims.first)
        #expect(contest.receive(claim, isRetained: false, at: 5.05).isEmpty)
        #expect(contest.nextDeadline == 5.05 + ClaimContest.contestSeconds)
        let taken = Claim(instance: "b", epoch: 2, number: 9, state: .owned, host: "h", started: 4)
        #expect(!claims.contains { $0.outranks(taken) })
        #expect(contest.receive(taken, isRetained: false, at: 5.1) == [.lose(to: taken)])
    }

    @Test("an epoch that cannot be exceeded is not claimed: no reader could tell the owners apart")
    func exhausted() {
        var contest = ClaimContest(instance: "a", host: "h", started: 0)
        _ = contest.connected(at: 0)
        let last = Claim(instance: "b", epoch: Claim.epochs.upperBound - 1, number: 1, state: .released, host: "h", started: 0)
        _ = contest.receive(last, isRetained: true, at: 0.1)
        let looking = Claim(instance: "a", epoch: 0, number: 0, state: .looking, host: "h", started: 0)
        #expect(contest.receive(looking, isRetained: false, at: 0.2) == [.lose(to: last)])
    }

    @Test("claims of others do not make an owner publish without bound")
    func answers() {
        var contest = ClaimContest(instance: "a", host: "h", started: 0)
        _ = contest.connected(at: 0)
        var looking = Claim(instance: "b", epoch: 0, number: 0, state: .looking, host: "h", started: 0)
        _ = contest.receive(
            Claim(instance: "a", epoch: 0, number: 0, state: .looking, host: "h", started: 0), isRetained: false, at: 0)
        var published = 0
        for number in 0..<1_000 {
            looking.number = number
            published += contest.receive(looking, isRetained: false, at: 0.3 + Double(number) / 10_000).count
        }
        #expect((1...3).contains(published))
    }

    @Test(
        "what is no claim is ignored",
        arguments: [
            "", "{}", "[]", #"{"instance":"a","epoch":-1,"number":1,"state":"owned"}"#,
            #"{"instance":"a","epoch":1e300,"number":1,"state":"owned"}"#,
            #"{"instance":"a","epoch":1,"number":1,"state":"else"}"#,
        ])
    func noClaims(text: String) {
        #expect(Claim(Array(text.utf8)) == nil)
    }

    @Test("a claim is read as it was written")
    func roundTrip() {
        let claim = Claim(instance: "a1", epoch: 7, number: 12, state: .owned, host: "pool \"1\"", started: 1_763_744_000.25)
        let message = claim.message(gateway: "gateway")
        #expect(message.topic == "fathom/gateway/claim")
        #expect(message.retain)
        #expect(Claim(message.payload) == claim)
    }
}

extension [Claim] {
    /// Removes and returns all.
    fileprivate mutating func splice() -> [Claim] {
        defer { removeAll() }
        return self
    }
}
