import GatewayPipeline
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("The watch over a lane")
struct LaneWatchTests {
    private static let own = Heartbeat.Instance(id: "own", started: 100)
    private let watch = LaneWatch(gateway: "g", lane: "safety", instance: own, mayFallBehind: false)
    private let bulk = LaneWatch(gateway: "g", lane: "bulk", instance: own, mayFallBehind: true)

    private func heartbeat(_ number: Int, of instance: Heartbeat.Instance? = nil, lane: String = "safety") -> MQTTMessage {
        Heartbeat(instance: instance ?? Self.own, number: number).message(gateway: "g", lane: lane)
    }

    /// Connects, and receives the first heartbeat.
    private func arm() { arm(watch, lane: "safety") }

    private func arm(_ watch: LaneWatch, lane: String) {
        watch.connected(sessionPresent: true, at: 0)
        watch.received(at: 0)
        #expect(watch.takeHeartbeat(heartbeat(1, lane: lane), at: 0))
        watch.settled()
    }

    @Test("a heartbeat does not expire: mosquitto would deliver what is queued out of order")
    func noExpiry() { #expect(heartbeat(1).messageExpirySeconds == nil) }

    @Test("it is silent when nothing was received two seconds after a heartbeat was sent")
    func silence() {
        arm()
        watch.beat(2, at: 10)
        watch.beat(3, at: 11.5)
        #expect(!watch.isSilent(at: 12))
        #expect(watch.isSilent(at: 12.1))
    }

    @Test("a lane that is reviewed for other reasons is silent nevertheless")
    func reviewed() {
        arm()
        watch.beat(2, at: 10)
        for review in 0..<30 {
            watch.settled()
            #expect(watch.isSilent(at: 10 + Double(review) / 10) == (review > 20))
        }
    }

    @Test("a pause of the process is no silence: waits end and timers run once a heartbeat from after it is received")
    func pause() {
        for (lane, watch) in [("safety", watch), ("bulk", bulk)] {
            func receive(_ number: Int, at time: Double) {
                watch.received(at: time)
                #expect(watch.takeHeartbeat(heartbeat(number, lane: lane), at: time))
                watch.settled()
            }
            watch.connected(sessionPresent: true, at: 0)
            watch.heartbeatsDue(at: 0.5)
            watch.heartbeatPublished(1, at: 0.5)
            receive(1, at: 0.6)
            watch.heartbeatsDue(at: 1)
            watch.heartbeatPublished(2, at: 1)
            #expect(watch.pace(at: 1.1) == LanePace())
            let paused = LanePace(expiring: .none, firesTimers: false)
            #expect(watch.pace(at: 101) == LanePace(expiring: .none, firesTimers: false, unreadSeconds: 100))
            #expect(watch.pace(at: 101) == paused, "before heartbeats are due again")
            watch.heartbeatsDue(at: 101.5)
            watch.heartbeatPublished(3, at: 101.5)
            receive(2, at: 102)
            #expect(watch.pace(at: 102) == paused, "a heartbeat from before the pause")
            receive(3, at: 102.5)
            #expect(watch.pace(at: 102.5) == LanePace(unreadSeconds: 1.5))
            #expect(watch.pace(at: 102.6) == LanePace())
        }
    }

    @Test("a pause is reported once, to the first that asks, and does not count for the limits of depth")
    func reportedPause() {
        arm()
        watch.heartbeatsDue(at: 1)
        #expect(watch.takePause(at: 2) == 0)
        #expect(watch.takePause(at: 101) == 100)
        #expect(watch.takePause(at: 101) == 0)
        watch.beat(2, at: 102)
        watch.received(at: 103)
        watch.settled()
        #expect(watch.pace(at: 131) == LanePace(expiring: .none, firesTimers: false))
        #expect(watch.pace(at: 131.1).expiring == .depthOnly)
        #expect(watch.firesTimers(at: 161.1))
    }

    @Test("in a pause no connection is silent, and no queue drained")
    func pausedConnection() {
        arm()
        watch.heartbeatPublished(2, at: 1)
        watch.heartbeatAccepted(2, at: 1.5)
        watch.heartbeatsDue(at: 1.5)
        watch.heartbeatsDue(at: 20)
        #expect(!watch.isSilent(at: 20))
        watch.heartbeatAccepted(3, at: 20.5)
        #expect(watch.isSilent(at: 22.6))
        bulk.connected(sessionPresent: true, at: 0)
        bulk.heartbeatsDue(at: 0.5)
        #expect(!bulk.hasDrained(at: 20))
        #expect(bulk.hasDrained(at: 30.1))
    }

    @Test("a pause ends after ten seconds where the broker delivers no heartbeats")
    func pauseWithoutHeartbeats() {
        watch.connected(sessionPresent: true, at: 0)
        for time in [20.0, 30] { watch.heartbeatsDue(at: time) }
        #expect(watch.pace(at: 30.2).expiring == .none)
        for round in 61...81 { watch.heartbeatsDue(at: Double(round) / 2) }
        #expect(watch.pace(at: 40.6).expiring == .all)
    }

    @Test("the last published heartbeat is known however many are under way")
    func lastPublished() {
        watch.connected(sessionPresent: true, at: 0)
        for number in 1...200 { watch.heartbeatPublished(number, at: Double(number)) }
        #expect(watch.lastPublished == 200)
    }

    @Test("any message ends the silence, a heartbeat or not")
    func delivery() {
        arm()
        watch.beat(4, at: 10)
        watch.received(at: 10.5)
        watch.settled()
        #expect(!watch.isSilent(at: 12.1))
        watch.beat(5, at: 13)
        #expect(watch.isSilent(at: 15.1))
    }

    @Test("while no heartbeat is published, silence does not count: timers fire and waits end")
    func nothingSent() {
        arm()
        #expect(!watch.isSilent(at: 1_000))
        #expect(watch.pace(at: 1_000) == LanePace())
    }

    @Test("where the broker delivers no heartbeat, silence does not count")
    func notArmed() {
        watch.connected(sessionPresent: true, at: 0)
        watch.beat(6, at: 10)
        #expect(!watch.isSilent(at: 20))
    }

    @Test("heartbeats that the broker accepts and never delivers are missing after two idle seconds")
    func missing() {
        watch.connected(sessionPresent: true, at: 0)
        watch.beat(1, at: 10)
        #expect(!watch.isHeartbeatMissing(at: 12))
        #expect(watch.isHeartbeatMissing(at: 12.1))
        watch.disconnected()
        #expect(!watch.isHeartbeatMissing(at: 12.1))
    }

    @Test("on a busy lane they are missing after two minutes, and one that comes ends that")
    func missingAmongOthers() {
        watch.connected(sessionPresent: true, at: 0)
        watch.beat(1, at: 10)
        watch.received(at: 129.9)
        #expect(!watch.isHeartbeatMissing(at: 131))
        watch.settled()
        #expect(!watch.isHeartbeatMissing(at: 130))
        #expect(watch.isHeartbeatMissing(at: 130.1))
        #expect(watch.takeHeartbeat(heartbeat(1), at: 131))
        #expect(!watch.isHeartbeatMissing(at: 300))
    }

    @Test("while a batch is worked on nothing is read, so nothing can be missed")
    func busy() {
        arm()
        watch.beat(7, at: 10)
        watch.received(at: 10.5)
        watch.beat(8, at: 11)
        #expect(!watch.isSilent(at: 20))
        watch.settled()
        #expect(!watch.isSilent(at: 20))
    }

    @Test("while timers fire nothing is read: their time is no silence, whenever the heartbeat was sent")
    func ticking() {
        arm()
        watch.beat(2, at: 10)
        watch.beginTick(at: 10.5)
        #expect(!watch.isSilent(at: 13) && !watch.isHeartbeatMissing(at: 13))
        watch.beat(3, at: 13)
        watch.endTick(at: 14.5)
        #expect(!watch.isSilent(at: 15.9))
        #expect(watch.isSilent(at: 16.1))
        // Short ones do not hide a connection that delivers nothing.
        for tick in 0..<20 {
            watch.beginTick(at: 16.1 + Double(tick) / 10)
            watch.endTick(at: 16.1 + Double(tick) / 10)
        }
        #expect(watch.isSilent(at: 18.1))
        watch.beginTick(at: 20)
        watch.endTick(at: 20)
        watch.received(at: 20)
        watch.settled()
        watch.beginTick(at: 21)
        watch.beat(4, at: 22)
        watch.endTick(at: 30)
        #expect(!watch.isSilent(at: 40), "it was accepted while nothing was read")
    }

    @Test("a connection that is down is not silent, and a new one has its own two seconds")
    func reconnected() {
        arm()
        watch.beat(9, at: 10)
        watch.disconnected()
        #expect(!watch.isSilent(at: 20))
        watch.connected(sessionPresent: true, at: 20)
        #expect(!watch.isSilent(at: 20))
        watch.beat(10, at: 20)
        #expect(watch.isSilent(at: 22.1))
    }

    @Test("heartbeats of this lane are taken, readable or not; all else is left")
    func takes() {
        #expect(watch.takeHeartbeat(heartbeat(1), at: 0))
        #expect(watch.takeHeartbeat(MQTTMessage(topic: "fathom/g/heartbeat/safety", payload: [1]), at: 0))
        #expect(!watch.takeHeartbeat(heartbeat(1, lane: "bulk"), at: 0))
    }

    @Test("what is read after a batch that was open for long fires no timers: devices sent it meanwhile")
    func afterStuck() {
        arm(bulk, lane: "bulk")
        #expect(bulk.pace(at: 0.1).firesTimers)
        bulk.received(at: 1)
        #expect(bulk.firesTimers(at: 1))
        #expect(!bulk.pace(at: 3).firesTimers)
        bulk.settled()
        bulk.received(at: 3.1)
        #expect(!bulk.firesTimers(at: 3.1))
        bulk.settled()
        #expect(bulk.pace(at: 3.2).firesTimers)
    }

    @Test("while a batch is stuck no wait ends, and afterwards the waits have what was lost")
    func stuck() {
        arm()
        watch.received(at: 10)
        #expect(watch.pace(at: 10.4) == LanePace())
        #expect(watch.pace(at: 11).expiring == .none)
        watch.settled()
        #expect(watch.pace(at: 13) == LanePace(unreadSeconds: 3))
        #expect(watch.pace(at: 13.1) == LanePace())
    }

    @Test("while nothing can be committed only waits for depth end, after a longer time")
    func stalled() {
        arm()
        watch.released(at: 10)
        #expect(watch.pace(at: 10).expiring == .none)
        #expect(watch.pace(at: 40).expiring == .none)
        #expect(watch.pace(at: 40.1).expiring == .depthOnly)
        watch.committed()
        #expect(watch.pace(at: 41).expiring == .all)
    }

    @Test("after a start no timer fires before the broker's backlog is received, or a minute has passed")
    func backlog() {
        watch.expectBacklog(at: 0)
        #expect(!watch.pace(at: 59).firesTimers)
        #expect(watch.pace(at: 60.1).firesTimers)
        arm()
        #expect(watch.pace(at: 1).firesTimers)
    }

    @Test("a queue that takes over a minute to read holds timers until a heartbeat comes, but not those of depths")
    func longBacklog() {
        for (lane, watch) in [("safety", watch), ("bulk", bulk)] {
            watch.expectBacklog(at: 0)
            watch.connected(sessionPresent: true, at: 0)
            watch.beat(1, at: 0.5)
            for second in 1...100 {
                let now = Double(second)
                watch.received(at: now)
                #expect(watch.pace(at: now).firesTimers == (lane == "safety" && second > 60))
                #expect(watch.pace(at: now).expiring == (second <= 31 ? .none : .depthOnly))
                watch.settled()
            }
            #expect(watch.takeHeartbeat(heartbeat(2, lane: lane), at: 101))
            #expect(watch.pace(at: 101) == LanePace(unreadSeconds: 100))
        }
    }

    @Test("without heartbeats timers fire after ten seconds, and on a lane that is never idle after two minutes")
    func backlogWithoutHeartbeat() {
        bulk.expectBacklog(at: 0)
        bulk.connected(sessionPresent: true, at: 0)
        #expect(!bulk.pace(at: 10).firesTimers)
        #expect(bulk.pace(at: 10.1).firesTimers)
        bulk.heartbeatPublished(1, at: 11)
        bulk.heartbeatAccepted(1, at: 11)
        #expect(!bulk.pace(at: 13).firesTimers)
        #expect(bulk.pace(at: 61).firesTimers)
        bulk.received(at: 62)
        bulk.settled()
        #expect(!bulk.pace(at: 131).firesTimers)
        #expect(bulk.pace(at: 131.1).firesTimers)
    }

    @Test("on a lane that may fall behind timers wait for what is still in the queue; on one with depths they do not")
    func behind() {
        for (lane, watch) in [("safety", watch), ("bulk", bulk)] {
            watch.connected(sessionPresent: true, at: 0)
            #expect(watch.takeHeartbeat(heartbeat(1, lane: lane), at: 0))
            watch.beat(2, at: 10)
            #expect(watch.pace(at: 11.5).firesTimers)
            #expect(watch.pace(at: 12).firesTimers == (lane == "safety"))
            #expect(watch.takeHeartbeat(heartbeat(2, lane: lane), at: 12))
            #expect(watch.pace(at: 12).firesTimers)
        }
    }

    @Test("on a lane that may fall behind timers wait while nothing is read, until what was queued meanwhile is read too")
    func unread() {
        for (lane, watch) in [("safety", watch), ("bulk", bulk)] {
            watch.connected(sessionPresent: true, at: 0)
            #expect(watch.takeHeartbeat(heartbeat(1, lane: lane), at: 1))
            #expect(watch.pace(at: 1).firesTimers)
            watch.heartbeatPublished(2, at: 1.5)
            watch.disconnected()
            #expect(watch.pace(at: 2).firesTimers == (lane == "safety"))
            watch.connected(sessionPresent: true, at: 30)
            #expect(watch.takeHeartbeat(heartbeat(2, lane: lane), at: 31))
            #expect(watch.pace(at: 31).firesTimers == (lane == "safety"), "frames are queued behind a heartbeat from before")
            #expect(watch.takeHeartbeat(heartbeat(3, lane: lane), at: 32))
            #expect(watch.pace(at: 32).firesTimers)
        }
    }

    @Test("timers also wait while the broker has not accepted a heartbeat, and no longer than until it refuses it")
    func unaccepted() {
        bulk.connected(sessionPresent: true, at: 0)
        #expect(bulk.takeHeartbeat(heartbeat(1, lane: "bulk"), at: 0))
        bulk.heartbeatPublished(2, at: 10)
        #expect(bulk.pace(at: 11.5).firesTimers)
        #expect(!bulk.pace(at: 12).firesTimers)
        bulk.heartbeatAccepted(2, at: 20)
        #expect(!bulk.pace(at: 20).firesTimers)
        bulk.heartbeatPublished(3, at: 20.5)
        #expect(bulk.takeHeartbeat(heartbeat(2, lane: "bulk"), at: 21))
        #expect(bulk.pace(at: 21).firesTimers)
        #expect(!bulk.pace(at: 22.5).firesTimers)
        bulk.heartbeatRefused(3)
        #expect(bulk.pace(at: 22.5).firesTimers)
    }

    @Test("the queue is drained when a heartbeat was received on this connection")
    func drained() {
        watch.connected(sessionPresent: true, at: 0)
        watch.received(at: 1)
        #expect(!watch.hasDrained(at: 1))
        #expect(watch.takeHeartbeat(heartbeat(1), at: 1))
        #expect(watch.hasDrained(at: 1))
        watch.disconnected()
        #expect(watch.hasDrained(at: 2))
        watch.connected(sessionPresent: true, at: 3)
        #expect(!watch.hasDrained(at: 3))
    }

    @Test("after a release the queue is not drained until the lane has connected again")
    func drainedReleased() {
        arm()
        #expect(watch.hasDrained(at: 1))
        watch.released(at: 1)
        watch.committed()
        #expect(!watch.hasDrained(at: 20))
        watch.connected(sessionPresent: true, at: 21)
        #expect(watch.takeHeartbeat(heartbeat(2), at: 22))
        #expect(watch.hasDrained(at: 22))
    }

    @Test("without any heartbeat the queue is drained after ten seconds without messages")
    func drainedInSilence() {
        #expect(!watch.hasDrained(at: 100))
        watch.connected(sessionPresent: true, at: 0)
        watch.received(at: 5)
        #expect(!watch.hasDrained(at: 16))
        watch.settled()
        #expect(!watch.hasDrained(at: 15))
        #expect(watch.hasDrained(at: 15.1))
    }
}

extension LaneWatch {
    /// A heartbeat that the broker accepts as soon as it is published.
    fileprivate func beat(_ number: Int, at monotonic: Double) {
        heartbeatPublished(number, at: monotonic)
        heartbeatAccepted(number, at: monotonic)
    }
}
