import GatewayConfiguration
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("Whether a lane that is connected receives")
struct LaneDeliveryTests {
    private static let own = Heartbeat.Instance(id: "own", started: 100)
    private let watch = LaneWatch(gateway: "g", lane: "safety", instance: own, mayFallBehind: false)

    private func connect(at monotonic: Double) { watch.connected(sessionPresent: true, at: monotonic) }

    private func receive(_ number: Int, at monotonic: Double) {
        let message = Heartbeat(instance: Self.own, number: number).message(gateway: "g", lane: "safety")
        #expect(watch.takeHeartbeat(message, at: monotonic))
    }

    @Test("a lane may be connected for five seconds without a heartbeat; then it lacks one until the next is received")
    func overdue() {
        #expect(!watch.lacksHeartbeat(at: 100), "before it is connected")
        connect(at: 100)
        #expect(!watch.lacksHeartbeat(at: 105))
        #expect(watch.lacksHeartbeat(at: 105.1))
        receive(1, at: 106)
        #expect(!watch.lacksHeartbeat(at: 111))
        #expect(watch.lacksHeartbeat(at: 111.1))
    }

    @Test("after an outage the lane has the time again, and a heartbeat from before it does not count")
    func outage() {
        connect(at: 0)
        receive(1, at: 10)
        watch.disconnected()
        #expect(!watch.lacksHeartbeat(at: 60), "what is not connected need not receive")
        connect(at: 100)
        #expect(!watch.lacksHeartbeat(at: 105))
        #expect(watch.lacksHeartbeat(at: 105.1))
    }

    @Test("a connection that is made again and again because it delivers nothing lacks heartbeats all the while")
    func loop() {
        connect(at: 0)
        receive(1, at: 0)
        watch.disconnected(becauseSilent: true)
        // The connection reports its end as well.
        watch.disconnected()
        connect(at: 3.5)
        #expect(!watch.lacksHeartbeat(at: 5))
        #expect(watch.lacksHeartbeat(at: 5.1))
        watch.disconnected(becauseSilent: true)
        watch.disconnected()
        connect(at: 8)
        #expect(watch.lacksHeartbeat(at: 8))
        receive(2, at: 8.5)
        #expect(!watch.lacksHeartbeat(at: 8.5))
    }

    @Test("a reconnection gives no new time where the connection before it delivered nothing either")
    func reconnections() {
        connect(at: 0)
        watch.disconnected()
        connect(at: 4)
        #expect(watch.lacksHeartbeat(at: 5.1))
    }

    @Test("the time without a connection is no wait, also after a connection that delivered nothing any more")
    func withoutConnection() {
        connect(at: 0)
        receive(1, at: 0)
        watch.heartbeatsDue(at: 2.5)
        watch.disconnected(becauseSilent: true)
        watch.disconnected()
        for round in 6...120 { watch.heartbeatsDue(at: Double(round) / 2) }
        connect(at: 60)
        #expect(!watch.lacksHeartbeat(at: 60.5))
        for round in 121...125 { watch.heartbeatsDue(at: Double(round) / 2) }
        #expect(!watch.lacksHeartbeat(at: 62.5))
        #expect(watch.lacksHeartbeat(at: 63), "connected for 5.5 s without one")
    }

    @Test("no heartbeat is awaited while none can be published, nor in a pause of the process")
    func unpublished() {
        connect(at: 0)
        receive(1, at: 0)
        watch.awaitNoHeartbeat(at: 60)
        #expect(!watch.lacksHeartbeat(at: 65))
        receive(2, at: 65)
        watch.heartbeatsDue(at: 65.5)
        #expect(!watch.lacksHeartbeat(at: 200))
        #expect(watch.lacksHeartbeat(at: 205.1))
    }

    @Test("the status says it in the place of connected, and of no lane that is not connected anyway")
    func status() {
        var conditions = GatewayConditions()
        conditions.connections = [.safety: "connected", .motion: "connected", .bulk: "connected"]
        #expect(conditions.ingress == "connected")
        conditions.undelivered = [.safety]
        #expect(conditions.lanes == [.safety: GatewayConditions.noHeartbeat, .motion: "connected", .bulk: "connected"])
        #expect(conditions.ingress == GatewayConditions.noHeartbeat)
        conditions.connections[.safety] = "disconnected: lost"
        #expect(conditions.lanes[.safety] == "disconnected: lost")
    }
}
