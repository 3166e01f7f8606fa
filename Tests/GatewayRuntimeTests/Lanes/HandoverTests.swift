import GatewayConfiguration
import GatewayPipeline
import GatewayTestSupport
import Logging
import Mosquitto
import Synchronization
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("Handing the devices over")
struct HandoverTests {
    private static let instance = Heartbeat.Instance(id: "own", started: 100)
    private let log = CollectedLog()
    private let watches: [GatewayConfiguration.Lanes.Name: LaneWatch]

    init() {
        watches = [GatewayConfiguration.Lanes.Name.safety, .motion].reduce(into: [:]) { watches, lane in
            watches[lane] = LaneWatch(gateway: "g", lane: lane.rawValue, instance: Self.instance, mayFallBehind: false)
        }
        for watch in watches.values { watch.connected(sessionPresent: true, at: 100) }
    }

    /// The broker delivers a heartbeat to a lane.
    private static func deliver(
        _ number: Int, to lane: GatewayConfiguration.Lanes.Name, _ watch: LaneWatch?, at monotonic: Double
    ) {
        let message = Heartbeat(instance: instance, number: number).message(gateway: "g", lane: lane.rawValue)
        _ = watch?.takeHeartbeat(message, at: monotonic)
    }

    private func service(
        isDurable: Bool = true, reads: Bool? = true, atWait: @escaping @Sendable (Double) -> Void = { _ in },
        incompleteSince: @escaping @Sendable (LaneProbe) -> Double? = { _ in nil }
    ) -> HandoverService {
        let registry = LaneRegistry(admission: Admission(policy: AccessPolicy()))
        for (lane, watch) in watches {
            let client = MosquittoClient(
                configuration: MosquittoConfiguration(brokers: BrokerList(host: "broker"), clientID: "g"), logger: log.logger)
            registry.add(
                LaneProbe(
                    name: lane, client: client, watch: watch, committing: ThreadPulse(),
                    mailbox: LaneMailbox(lane: lane, wakeUp: WakeUp())))
        }
        let reading = Gate()
        if let reads { reading.open(reads) }
        return HandoverService(
            handover: Handover(), lanes: registry, isDurable: isDurable, reading: reading, redeliverySeconds: 60,
            clock: ManualClock(unix: 100, atWait: atWait), logger: log.logger, incompleteSince: incompleteSince)
    }

    @Test("every lane must receive two heartbeats that were published after the request")
    func drains() async {
        for (lane, watch) in watches {
            Self.deliver(7, to: lane, watch, at: 100)
            watch.heartbeatPublished(8, at: 100)
        }
        let received = Mutex(7)
        let watches = watches
        let service = service { now in
            let number = received.withLock { number in
                number += 1
                return number
            }
            Self.deliver(number, to: .safety, watches[.safety], at: now)
            // The other lane is one behind.
            Self.deliver(number - 1, to: .motion, watches[.motion], at: now)
        }
        #expect(await service.drain())
        // 8 was published before; 10 is the second after it, and the lane that is behind has it with 11.
        #expect(received.withLock { $0 } == 11)
    }

    @Test("a lane that does not get on within 30 s keeps the devices here, and is named")
    func timeout() async {
        let watches = watches
        let latest = Mutex(0.0)
        let service = service { now in
            latest.withLock { $0 = now }
            Self.deliver(Int(now * 10), to: .safety, watches[.safety], at: now)
        }
        #expect(await !service.drain())
        #expect(latest.withLock { (130...130.2).contains($0) })
        #expect(log.contains("lanes=motion "))
        #expect(!service.handover.isRequested)
    }

    @Test("frames that wait for earlier ones keep the devices here until these have come; what has arrived since does not")
    func incomplete() async {
        let watches = watches
        let latest = Mutex(100.0)
        /// Hands over where the frames of a lane wait since `arrival`, until `end`.
        func drains(since arrival: Double, until end: Double) async -> Bool {
            latest.withLock { $0 = 100 }
            let service = service { now in
                latest.withLock { $0 = now }
                for (lane, watch) in watches { Self.deliver(Int(now * 10), to: lane, watch, at: now) }
            } incompleteSince: { lane in
                lane.name == .motion && latest.withLock { $0 < end } ? arrival : nil
            }
            return await service.drain()
        }
        #expect(await drains(since: 99, until: 150))
        #expect(latest.withLock { (150...150.1).contains($0) })
        #expect(await !drains(since: 99, until: .infinity))
        #expect(latest.withLock { (190...190.3).contains($0) })
        #expect(log.contains("lanes=motion "))
        #expect(await drains(since: 101, until: .infinity))
        #expect(latest.withLock { $0 < 101 })
    }

    @Test("a lane that has lost its connection keeps the devices here")
    func disconnected() async {
        let watches = watches
        let service = service { now in
            for (lane, watch) in watches { Self.deliver(Int(now * 10), to: lane, watch, at: now) }
            watches[.motion]?.disconnected()
        }
        #expect(await !service.drain())
    }

    @Test("nothing is handed over before the gateway reads, or without a state directory")
    func refused() async {
        #expect(await !service(reads: nil).drain())
        #expect(await !service(reads: false).drain())
        #expect(log.contains("the gateway does not read yet"))
        #expect(await !service(isDurable: false).drain())
        #expect(log.contains("gateway.stateDirectory is not set"))
    }

    @Test("the lanes that have committed everything are recorded one by one")
    func committed() {
        let handover = Handover()
        #expect(!handover.isRequested)
        // That of a former session, which was read to its end when the gateway started.
        handover.noteCommitted(.motion)
        handover.request()
        #expect(handover.isRequested)
        handover.noteCommitted(.safety)
        #expect(handover.hasCommitted(.safety))
        #expect(!handover.hasCommitted(.motion))
    }
}
