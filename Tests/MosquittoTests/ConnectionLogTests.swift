import Testing

@testable import Mosquitto

@Suite("What is logged of connections")
struct ConnectionLogTests {
    private let start = MonotonicInstant.now
    private let log = ConnectionLog()
    private let clients = ["in", "motion", "bulk", "out", "query"]

    @Test(
        "An outage of a minute of five connections, each with its own tries: the loss, the reason why none is made, and the return"
    )
    func outage() {
        #expect(clients.map { log.connected($0, at: start) } == clients.map { _ in .first })
        var lines: [String] = []
        for client in clients where log.lost(client, because: "lost", at: start) { lines.append("lost") }
        for second in 0..<59 {
            for client in clients where log.lost(client, because: "connection refused", at: start + Double(second)) {
                lines.append("refused")
            }
        }
        #expect(lines == ["lost", "refused"])
        let back = clients.map { log.connected($0, at: start + 60.0) }
        #expect(back == [.again, .again, .again, .again, .all(connections: 5, seconds: 60)])
    }

    @Test("A reason is repeated after a minute, and logged anew in the next outage")
    func again() {
        _ = log.connected("in", at: start)
        #expect(log.lost("in", because: "lost", at: start))
        #expect(!log.lost("in", because: "lost", at: start + 59.0))
        #expect(log.lost("in", because: "lost", at: start + 60.0))
        #expect(log.connected("in", at: start + 61.0) == .all(connections: 1, seconds: 61))
        #expect(log.lost("in", because: "lost", at: start + 62.0))
    }

    @Test("A connection whose account is refused does not hide that others are lost for another reason")
    func other() {
        _ = log.connected("in", at: start)
        #expect(log.lost("query", because: "bad password", at: start))
        #expect(log.lost("in", because: "lost", at: start + 1.0))
        #expect(log.connected("in", at: start + 2.0) == .again)
    }

    @Test("A return of all is reported also where the last was not connected before, and a start without a broker is none")
    func late() {
        for client in clients { _ = log.lost(client, because: "connection refused", at: start) }
        #expect(clients.map { log.connected($0, at: start + 5.0) } == clients.map { _ in .first })
        for client in clients + ["late"] { _ = log.lost(client, because: "lost", at: start + 6.0) }
        for client in clients { #expect(log.connected(client, at: start + 7.0) == .again) }
        #expect(log.connected("late", at: start + 8.0) == .all(connections: 6, seconds: 2))
    }

    @Test("A client that ends while its connection is lost, as in the check of an account, does not hide a later return of all")
    func ended() {
        for client in ["in", "in-check"] { _ = log.connected(client, at: start) }
        #expect(log.lost("in-check", because: "taken over", at: start))
        log.ended("in-check")
        #expect(log.lost("in", because: "lost", at: start + 1.0))
        #expect(log.connected("in", at: start + 4.0) == .all(connections: 1, seconds: 3))
    }

    @Test("Reasons without end take a bounded place")
    func bounded() {
        for index in 0..<10_000 { #expect(log.lost("in", because: "reason \(index)", at: start)) }
    }
}
