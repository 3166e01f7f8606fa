import GatewayTestSupport
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("A lane's session with the broker")
struct LaneSessionTests {
    @Test("waits for a missing frame while the lane is behind, since the broker may deliver it again", arguments: [1.0, 2.0])
    func behind(seconds: Double) throws {
        let fixture = LaneSessionFixture(redeliverySeconds: 60)
        let start = 1_763_744_100.0
        var diver = TestDevice(offset: start - 100)
        let frames = (0...3).map { MQTTMessage(diver.depth(3, uptime: 100 + Double($0), seq: $0)) }
        fixture.clock.set(to: start)
        fixture.session.connected(sessionPresent: false)
        #expect(fixture.deliver([fixture.heartbeat(1), frames[0]], at: start).contains("depth-state"))
        fixture.watch.heartbeatPublished(2, at: start + 3)
        #expect(fixture.deliver([fixture.heartbeat(2), frames[2]], at: start + 3 + seconds) == [])
        let later = fixture.deliver([frames[3]], at: start + 30)
        let missing = fixture.deliver([frames[1]], at: start + 31)
        #expect((later + missing).contains("gap") == (seconds < LaneWatch.behindSeconds))
    }

    @Test("fires no timer before frames that are read together with the heartbeat that shows the end of a backlog")
    func backlog() throws {
        let fixture = LaneSessionFixture(mayFallBehind: true)
        let start = 1_763_744_100.0
        var pods = TestDevice(offset: start - 100)
        func frames(_ range: ClosedRange<Int>) -> [MQTTMessage] {
            range.map { MQTTMessage(pods.stillHead(uptime: 100 + Double($0) / 2)) }
        }
        fixture.clock.set(to: start)
        fixture.session.connected(sessionPresent: true)
        #expect(fixture.deliver([fixture.heartbeat(1)] + frames(0...0), at: start).contains("connection/headphone"))
        fixture.session.disconnected()
        fixture.clock.set(to: start + 4)
        fixture.session.connected(sessionPresent: true)
        #expect(!fixture.deliver(frames(1...8) + [fixture.heartbeat(2)], at: start + 4).contains("connection/headphone"))
        #expect(fixture.deliver([fixture.heartbeat(3)], at: start + 7).contains("connection/headphone"), "then silence counts")
    }
}
