import StateCoding
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("A hit")
struct SwingHitTests {
    @Test("is as in the talk: start at 0.3 s, impact between 0.5 and 0.6 s of a second")
    func talk() throws {
        let swing = SyntheticSwing(onset: 0.295, duration: 0.5, peakRate: 20, impact: 0.55)
        let events = derive([.recording([swing], to: 1)], firingUntil: 10)
        #expect(events.count == 2)
        let hit = try #require(events.swings.first)
        #expect(hit.contact)
        #expect(abs(hit.startAt.seconds - 0.3) < 0.01)
        #expect(try #require(hit.impactAt) == events.impacts[0].impactAt)
        #expect((0.5...0.6).contains(try #require(hit.impactAt).seconds))
        #expect((0.2...0.3).contains(try #require(hit.timeToContact)))
        #expect(events[1].time == hit.impactAt)
        #expect(try #require(events[1].span).contains(events[1].time))
    }

    @Test("is timed to 10 ms wherever the batch edges fall and whichever way it turns", arguments: [12.0, -12])
    func phases(peakRate: Double) throws {
        for phase in 0..<24 {
            let onset = 5 + Double(phase) / 24
            let swing = SyntheticSwing(onset: onset, peakRate: peakRate, impact: onset + 0.3)
            let frames = BatchedIMU.recording([swing], from: 4, to: 8).cut(at: [5, 6, 7])
            let hit = try #require(derive(frames).swings.only)
            let truth = onset + 0.3 - swing.start
            #expect(abs(try #require(hit.timeToContact) - truth) < 0.003)
            #expect(abs(hit.startAt.seconds - swing.start) < 0.002)
            #expect(abs(hit.accumulatedRotation - abs(swing.rotation(to: onset + 0.3))) < 0.05)
            #expect(abs(hit.peakRotationRate - 12) < 0.01)
            #expect(hit.coverage == 1)
            #expect(try #require(hit.peakAcceleration) > 20)
            #expect((0...1).contains(hit.confidence))
        }
    }

    @Test("starts where a backswing turns round, however fast")
    func backswing() throws {
        let back = SyntheticSwing(onset: 1, duration: 0.3, peakRate: -9)
        let forward = SyntheticSwing(onset: 1.3, duration: 0.4, peakRate: 15, impact: 1.55)
        let hit = try #require(derive([.recording([back, forward], to: 3)]).swings.only)
        #expect(abs(hit.startAt.seconds - forward.start) < 0.003)
    }

    @Test("may hold a pause shorter than an interruption")
    func interruption() throws {
        let first = SyntheticSwing(onset: 1, duration: 0.2, peakRate: 9)
        let second = SyntheticSwing(onset: 1.195, duration: 0.4, peakRate: 9, impact: 1.4)
        let hit = try #require(derive([.recording([first, second], to: 3)]).swings.only)
        #expect(abs(hit.startAt.seconds - first.start) < 0.003)

        let later = SyntheticSwing(onset: 1.24, duration: 0.4, peakRate: 9, impact: 1.5)
        let separate = derive([.recording([first, later], to: 3)]).swings.filter(\.contact)
        #expect(abs(try #require(separate.only).startAt.seconds - later.start) < 0.003)
    }

    @Test("starts no earlier than the look-back before its impact")
    func lookBack() throws {
        let swing = SyntheticSwing(onset: 1, duration: 1.6, peakRate: 8.2, impact: 1.95)
        let hit = try #require(derive([.recording([swing], to: 4)]).swings.only)
        #expect(try #require(hit.timeToContact) <= 0.8)
        #expect(try #require(hit.timeToContact) > 0.79)
    }

    @Test("has the greater of two impacts")
    func twoImpacts() throws {
        let swing = SyntheticSwing(onset: 1, duration: 0.9, peakRate: 9, impact: 1.4, impactG: 15)
        let knock = SyntheticSwing(onset: 1, duration: 0.9, peakRate: 1e-9, impact: 1.75, impactG: 40)
        let events = derive([.recording([swing, knock], to: 4)], firingUntil: 10)
        #expect(events.impacts.count == 2)
        #expect(abs(try #require(events.swings.only?.impactAt).seconds - 1.75) < 0.003)
    }

    @Test("of two strokes without a pause between them are two")
    func twoStrokes() {
        let forth = SyntheticSwing(onset: 1, duration: 0.4, peakRate: 14, impact: 1.25)
        let back = SyntheticSwing(onset: 1.4, duration: 0.4, peakRate: -14, impact: 1.65)
        let hits = derive([.recording([forth, back], to: 4)]).swings
        #expect(hits.map(\.contact) == [true, true])
        #expect(Set(hits.map(\.impactAt)).count == 2)
    }

    @Test("leaves no more behind than a quiet stream has: what no later swing needs is dropped")
    func stateSize() throws {
        let swing = SyntheticSwing(onset: 5.3, peakRate: 12, impact: 5.6)
        let frames = BatchedIMU.recording([swing], from: 4, to: 12).cut(at: [5, 6, 7, 8, 9, 10, 11])
        var derivation = SwingDerivation()
        var events: [DerivedEvent] = []
        for frame in frames { derivation.consume(frame, settings: SwingSettings(), into: &events) }
        #expect(events.swings.count == 1)
        #expect(try StateCoder.encode(derivation).count < 700)
    }

    @Test("is not published of an impact without a swing")
    func impactAlone() {
        let outside = SyntheticSwing(onset: 1, impact: 2.2)
        let slow = SyntheticSwing(onset: 4, duration: 0.4, peakRate: 7.5, impact: 4.3)
        let short = SyntheticSwing(onset: 6, duration: 0.12, peakRate: 12, impact: 6.08)
        let long = SyntheticSwing(onset: 8, duration: 0.8, peakRate: 20, impact: 8.7)
        let events = derive([.recording([outside, slow, short, long], to: 12)], firingUntil: 20)
        #expect(events.impacts.count == 4)
        #expect(events.swings.filter(\.contact).isEmpty)
    }
}

extension Array {
    /// The element of an array that has one.
    var only: Element? { count == 1 ? self[0] : nil }
}
