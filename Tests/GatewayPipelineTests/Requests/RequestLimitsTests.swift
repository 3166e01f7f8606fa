import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("The limits of requests")
struct RequestLimitsTests {
    private let (analyst, other): (Identifier, Identifier)

    init() throws {
        analyst = try #require(Identifier("analyst"))
        other = try #require(Identifier("other"))
    }

    private func verdicts(_ limits: inout RequestLimits, _ user: Identifier, _ count: Int, at: Double) -> [RequestLimits.Verdict]
    {
        (0..<count).map { _ in limits.judge(user, at: at) }
    }

    @Test("a user may ask five seconds' worth at once, then at the rate; the refusal is sent once a second")
    func rate() {
        var limits = RequestLimits(perSecond: 2, bytesPerHour: 1e9, at: 0)
        let first = verdicts(&limits, analyst, 20, at: 0)
        #expect(first.prefix(10).allSatisfy { $0 == .allowed })
        #expect(first.dropFirst(10).first == .refused)
        #expect(first.dropFirst(11).allSatisfy { $0 == .dropped })
        #expect(verdicts(&limits, analyst, 4, at: 1) == [.allowed, .allowed, .refused, .dropped])
        #expect(limits.judge(other, at: 1) == .allowed)
    }

    @Test("all users together have a limit, refusals included")
    func total() throws {
        var limits = RequestLimits(perSecond: 2, bytesPerHour: 1e9, at: 0)
        var sent = 0
        for number in 0..<100 {
            let user = try #require(Identifier("user-\(number)"))
            sent += verdicts(&limits, user, 12, at: 0).count { $0 != .dropped }
        }
        #expect(sent == Int(RequestLimits.mostPerSecond))
        #expect(limits.judge(analyst, at: 1) == .allowed)
    }

    @Test("what a user was sent counts over the hour")
    func bytes() {
        var limits = RequestLimits(perSecond: 100, bytesPerHour: 3_600, at: 0)
        #expect(limits.judge(analyst, at: 0) == .allowed)
        limits.note(5_000, sentTo: analyst)
        #expect(limits.judge(analyst, at: 1) == .refused)
        #expect(limits.judge(analyst, isAcknowledgement: true, at: 2) == .allowed, "an alarm that was seen can be acknowledged")
        #expect(limits.judge(analyst, at: 1_399) == .refused)
        #expect(limits.judge(analyst, at: 1_402) == .allowed)
        #expect(limits.judge(other, at: 1) == .allowed)
    }

    @Test("the number of users that are remembered is limited, and a new one is answered however many others have asked", .slow)
    func users() throws {
        var limits = RequestLimits(perSecond: 100, bytesPerHour: 3.6e9, at: 0)
        var time = 0.0
        for number in 0..<(3 * RequestLimits.mostUsers) {
            time += 1
            #expect(limits.judge(try #require(Identifier("user-\(number)")), at: time) == .allowed)
        }
        var busy = RequestLimits(perSecond: 100, bytesPerHour: 1, at: 0)
        for number in 0..<RequestLimits.mostUsers {
            let user = try #require(Identifier("user-\(number)"))
            _ = busy.judge(user, at: Double(number))
            busy.note(1_000, sentTo: user)
        }
        #expect(busy.judge(analyst, at: 1_001) == .allowed)
    }

    @Test("a user does not get its limit anew by naming many others", .slow)
    func forgotten() throws {
        var limits = RequestLimits(perSecond: 100, bytesPerHour: 3_600, at: 0)
        #expect(limits.judge(analyst, at: 0) == .allowed)
        limits.note(50_000, sentTo: analyst)
        for number in 0..<(3 * RequestLimits.mostUsers) {
            let user = try #require(Identifier("user-\(number)"))
            #expect(limits.judge(user, at: 1 + Double(number) / RequestLimits.mostPerSecond) == .allowed)
        }
        #expect(limits.judge(analyst, at: 200) == .refused)
    }

    @Test("one asker under 5,000 names is sent no more than all users together may be, and the next second has room for others")
    func names() throws {
        var limits = RequestLimits(perSecond: 2, bytesPerHour: 1e9, at: 0)
        for second in 0..<5 {
            var sent = 0
            for number in 0..<5_000 {
                let user = try #require(Identifier("user-\(number)"))
                if limits.judge(user, at: Double(second)) != .dropped { sent += 1 }
            }
            #expect(sent == Int(RequestLimits.mostPerSecond))
        }
        #expect(limits.judge(analyst, at: 5) == .allowed)
    }

    @Test("a clock that goes back gives nothing")
    func clock() {
        var limits = RequestLimits(perSecond: 2, bytesPerHour: 1e9, at: 100)
        _ = verdicts(&limits, analyst, 10, at: 100)
        #expect(limits.judge(analyst, at: 50) != .allowed)
    }
}
