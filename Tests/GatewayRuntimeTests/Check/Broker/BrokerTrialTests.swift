import GatewayConfiguration
import Testing

@testable import GatewayRuntime

/// A broker as a trial sees it.
private struct ModelBroker {
    var window = 200
    var retained = BrokerFacts.RetainedReach.wildcards
    var keepsSession = true
    /// Whether it removes retained messages that have expired; nil for a protocol without expiry.
    var expires: Bool? = true
    /// When unacknowledged frames come again, in seconds after they were sent; 0 for at once and in order, nil for never.
    var redeliverySeconds: Double? = 0
    /// Why it refuses what is published.
    var refusal: String?
    /// Whether it drops what is published, and says nothing.
    var dropsPublished = false
    /// Whether it is known late that a connection is made.
    var isConnectedLate = false
    /// A visit at which it does not answer.
    var silentAt: BrokerTrial.Visit?

    struct Outcome {
        var trial: BrokerTrial
        var visits: [BrokerTrial.Visit] = []
        var seconds = 0.0
    }

    /// Runs a trial to its end, in steps of 20 ms.
    func run(permitted: Int = 200) -> Outcome {
        var outcome = Outcome(trial: BrokerTrial(permitted: permitted, mayExpire: expires != nil, at: 0))
        var sent: [Int: Double] = [:]
        var retainedAt = 0.0
        while let visit = outcome.trial.visit, outcome.seconds < 600 {
            outcome.visits.append(visit)
            outcome.seconds += 0.02
            let since = outcome.seconds
            if visit == .publishRetained { retainedAt = since }
            if silentAt != visit { begin(visit, retainedAt, &outcome, &sent) }
            while outcome.trial.visit == visit {
                outcome.seconds += 0.02
                if visit == .resume { redeliver(&outcome, sent, since: since) }
                outcome.trial.handle(.tick, at: outcome.seconds)
            }
        }
        return outcome
    }

    private func begin(
        _ visit: BrokerTrial.Visit, _ retainedAt: Double, _ outcome: inout Outcome, _ sent: inout [Int: Double]
    ) {
        let now = outcome.seconds
        let resumes = [.readExactly, .count, .resume, .readExpired].contains(visit)
        defer { if isConnectedLate, outcome.trial.visit == visit { connect(visit, resumes, &outcome) } }
        if !isConnectedLate || visit.publishes { connect(visit, resumes, &outcome) }
        if visit.publishes { return outcome.trial.handle(refusal.map { .failed($0) } ?? .published, at: now) }
        guard !dropsPublished else { return }
        if visit == .begin, retained == .wildcards { outcome.trial.handle(.retained, at: now) }
        if visit == .readExactly, retained == .exactTopics { outcome.trial.handle(.retained, at: now) }
        if visit == .readExpired {
            // It expires 1 s after the broker has accepted it; seconds are whole ones, so up to 2.
            if expires == false || now < retainedAt + 2 { outcome.trial.handle(.expiring, at: now) }
            outcome.trial.handle(.retained, at: now)
        }
        let all = 0..<(keepsSession ? outcome.trial.frameCount : 0)
        switch visit {
        case .count:
            for frame in all.prefix(window) {
                sent[frame] = now
                outcome.trial.handle(.frame(frame), at: now)
            }
        case .resume:
            let isPrompt = redeliverySeconds == 0
            for frame in isPrompt ? all : all.dropFirst(window) { outcome.trial.handle(.frame(frame), at: now) }
        default: break
        }
    }

    private func connect(_ visit: BrokerTrial.Visit, _ resumes: Bool, _ outcome: inout Outcome) {
        outcome.trial.handle(.connected(sessionPresent: resumes && keepsSession), at: outcome.seconds)
    }

    private func redeliver(_ outcome: inout Outcome, _ sent: [Int: Double], since: Double) {
        guard let delay = redeliverySeconds, delay > 0 else { return }
        let now = outcome.seconds
        for (frame, at) in sent.sorted(by: { $0.key < $1.key }) where at + delay <= now && at + delay > now - 0.02 {
            outcome.trial.handle(.frame(frame), at: now)
        }
    }
}

@Suite("What a broker does, tried")
struct BrokerTrialTests {
    private let mqtt = GatewayConfiguration.MQTT()

    @Test("A broker as mosquitto: everything, and nothing is left", arguments: [false, true])
    func good(isConnectedLate: Bool) {
        let outcome = ModelBroker(isConnectedLate: isConnectedLate).run()
        #expect(
            outcome.visits
                == [.wipe, .publishRetained, .begin, .publishFrames, .count, .resume, .readExpired, .end, .clear])
        #expect(outcome.trial.facts.retained == .wildcards && outcome.trial.facts.keepsSession == true)
        #expect(outcome.trial.facts.redelivery == .atOnce(inOrder: true))
        #expect(outcome.trial.facts.window == .init(messages: 200, queued: 220, permitted: 200))
        #expect(outcome.trial.facts.expires == true)
        #expect(outcome.trial.facts.lacks(for: mqtt).isEmpty && outcome.trial.failure == nil)
        #expect(outcome.seconds < 4)
    }

    @Test("As NATS: frames come again late, however long its window is", arguments: [2.0, 30], [100, 1_000])
    func late(delay: Double, window: Int) {
        let outcome = ModelBroker(window: window, redeliverySeconds: delay).run()
        guard case .after(let seconds)? = outcome.trial.facts.redelivery else {
            Issue.record("\(String(describing: outcome.trial.facts.redelivery))")
            return
        }
        #expect(abs(seconds - delay) < 0.1)
        #expect(outcome.trial.facts.window?.messages == min(window, 220))
        #expect(outcome.visits.suffix(2) == [.end, .clear])
    }

    @Test("As RabbitMQ and ejabberd: a small window, and retained messages to exact topics only", arguments: [10, 1])
    func small(window: Int) {
        let outcome = ModelBroker(window: window, retained: .exactTopics).run()
        #expect(outcome.visits.contains(.readExactly))
        #expect(outcome.trial.facts.lacks(for: mqtt).map(\.capability) == [.retainedToWildcards, .window])
        #expect(outcome.trial.facts.window?.messages == window)
        #expect(outcome.trial.facts.redelivery == .atOnce(inOrder: true))
    }

    @Test("Frames that never come again, and retained messages that are not delivered")
    func never() {
        let outcome = ModelBroker(retained: .nowhere, redeliverySeconds: nil).run()
        #expect(outcome.trial.facts.redelivery == .missing(after: 40))
        #expect(outcome.trial.facts.lacks(for: mqtt).map(\.capability) == [.retainedToWildcards, .redelivery])
        #expect(outcome.seconds < 50)
    }

    @Test("Retained messages that do not expire", arguments: [BrokerFacts.RetainedReach.wildcards, .exactTopics])
    func noExpiry(retained: BrokerFacts.RetainedReach) {
        let trial = ModelBroker(retained: retained, expires: false).run().trial
        #expect(trial.facts.expires == false)
        #expect(trial.facts.lacks(for: mqtt).map(\.capability).contains(.messageExpiry))
    }

    @Test("Whether messages expire is not tried where they cannot, or where retained messages are not delivered")
    func expiryNotTried() {
        for broker in [ModelBroker(expires: nil), ModelBroker(retained: .nowhere)] {
            let outcome = broker.run()
            #expect(!outcome.visits.contains(.readExpired))
            #expect(outcome.trial.facts.expires == nil && outcome.trial.failure == nil)
        }
    }

    @Test("Sessions that are not kept")
    func noSession() {
        let outcome = ModelBroker(keepsSession: false).run()
        #expect(outcome.trial.facts.keepsSession == false && outcome.trial.facts.redelivery == nil)
        #expect(outcome.trial.facts.lacks(for: mqtt).map(\.capability) == [.sessions])
    }

    @Test("What is refused with a reason: nothing is known, and nothing to remove")
    func refused() {
        let outcome = ModelBroker(refusal: "not authorized").run()
        #expect(outcome.visits == [.wipe, .publishRetained])
        #expect(outcome.trial.failure == "not authorized" && outcome.trial.facts == BrokerFacts())
    }

    @Test("What is refused in silence: nothing is known, and all is removed")
    func refusedInSilence() {
        let outcome = ModelBroker(dropsPublished: true).run()
        #expect(outcome.trial.failure == BrokerTrial.nothingCame && outcome.trial.facts == BrokerFacts())
        #expect(outcome.visits.suffix(2) == [.end, .clear])
    }

    @Test(
        "A broker that falls silent at any point: the trial ends, having tried to remove what it made",
        arguments: [.wipe, .publishRetained, .begin, .publishFrames, .count, .resume, .readExpired, .end, .clear]
            as [BrokerTrial.Visit])
    func silent(at visit: BrokerTrial.Visit) {
        let outcome = ModelBroker(silentAt: visit).run()
        #expect(outcome.trial.visit == nil && outcome.trial.failure != nil)
        #expect(outcome.seconds < 60)
        let made = outcome.visits.firstIndex(of: .begin) != nil
        #expect(outcome.visits.contains(.clear) == made)
    }

    @Test("A retained message that comes before the subscriptions are accepted does not end the visit", arguments: [false, true])
    func retainedFirst(isExact: Bool) {
        var trial = BrokerTrial(permitted: 200, mayExpire: true, at: 0)
        trial.handle(.connected(sessionPresent: false), at: 0)
        trial.handle(.published, at: 0)
        if isExact {
            trial.handle(.connected(sessionPresent: false), at: 0)
            trial.handle(.tick, at: 3)
        }
        trial.handle(.retained, at: 3)
        #expect(trial.visit == (isExact ? .readExactly : .begin))
        trial.handle(.connected(sessionPresent: false), at: 3.1)
        #expect(trial.visit == .publishFrames)
        #expect(trial.facts.retained == (isExact ? .exactTopics : .wildcards))
    }

    @Test("A connection that fails after the trial has gone on changes nothing")
    func over() {
        var trial = ModelBroker().run().trial
        let facts = trial.facts
        trial.handle(.failed("late"), at: 100)
        #expect(trial.visit == nil && trial.facts == facts && trial.failure == nil)
    }
}
