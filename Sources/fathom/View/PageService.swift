import FleetPage
import GatewayHTTP
import GatewayPipeline
import GatewayRuntime
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization
import TelemetryModel

/// The fleet page over HTTP.
struct PageService: Service {
    let server: HTTPServer
    let hub: PageHub

    /// Creates the service, which asks gateways with `requests` for as many `days` as they keep.
    init(
        hub: PageHub, address: String, port: Int, access: PageAccess, requests: PageRequests, days: Double,
        clock: any GatewayClock, logger: Logger
    ) {
        self.hub = hub
        let site = PageSite(hub: hub, access: access, requests: requests, days: days)
        var limits = HTTPServerLimits()
        limits.takesPost = true
        server = HTTPServer(host: address, port: port, limits: limits, logger: logger) { request in
            site.answer(request, at: clock.now.unix.seconds)
        }
    }

    /// Serves until a graceful shutdown; `server` must have been started.
    func run() async throws {
        try? await gracefulShutdown()
        hub.finish()
        await server.stop()
    }
}

/// The page's connection to the broker, and the hub and the requests that use it.
struct PageConnection: Sendable {
    let hub: PageHub
    let requests: PageRequests
    private let client: MosquittoClient
    private let clock: any GatewayClock

    /// A connection made by `connect`, which is given the topics on which replies come. `user` is the account, which may ask `perSecond`
    /// times a second.
    init(
        root: String, user: String, perSecond: Double, silentSeconds: Double, clock: any GatewayClock, logger: Logger,
        connect: (_ replies: String) throws -> MosquittoConfiguration
    ) rethrows {
        // The client needs the topics of the replies, and the requests need the client.
        let reference = ClientReference()
        requests = PageRequests(
            root: root, user: user, perSecond: perSecond, run: String(UInt32.random(in: .min ... .max), radix: 16),
            port: PageRequests.Port(
                publish: { reference.publish($0, $1) }, monotonic: { clock.now.monotonic },
                sleep: { try await clock.sleep(seconds: $0) }))
        client = MosquittoClient(configuration: try connect(requests.replies), logger: logger)
        hub = PageHub(store: FleetStore(root: root, silentSeconds: silentSeconds), startedAt: clock.now.unix.seconds)
        reference.set(client)
        self.clock = clock
    }

    /// The service that receives; `receive` and `tick` are called after the page's own.
    func viewer(
        receive: @escaping @Sendable (String, [UInt8], Double) -> Void = { _, _, _ in },
        tick: @escaping @Sendable (Double) -> Void = { _ in }
    ) -> BrokerViewer {
        BrokerViewer(
            client: client, clock: clock,
            receive: { [requests, hub] topic, payload, now in
                if requests.receive(topic: topic, payload: payload) { return }
                hub.receive(topic: topic, payload: payload, at: now)
                receive(topic, payload, now)
            },
            note: { [requests, hub] now, problem in
                hub.tick(at: now, brokerProblem: problem)
                requests.note(brokerProblem: problem, gateways: hub.gateways)
            }, tick: tick)
    }
}

/// The client that requests are published with, once it is made.
private final class ClientReference: Sendable {
    private let client = Mutex<MosquittoClient?>(nil)

    func set(_ client: MosquittoClient) { self.client.withLock { $0 = client } }

    func publish(_ topic: String, _ payload: [UInt8]) {
        var message = MQTTMessage(topic: topic, payload: payload)
        // Who asks waits for some seconds; later it is of no use.
        message.isExpendable = true
        message.messageExpirySeconds = 10
        _ = client.withLock { $0 }?.enqueue([message])
    }
}
