import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import TelemetryModel

/// The time, in unix seconds.
var now: Double { SystemGatewayClock().now.unix.seconds }

/// What a replay publishes for these frames.
func replayed(_ frames: [RecordedMessage], configure: (inout GatewayConfiguration) -> Void) throws -> [DerivedJSON] {
    var configuration = GatewayConfiguration()
    configuration.gateway.name = "test"
    configure(&configuration)
    var messages: [DerivedJSON] = []
    let replay = Replay(settings: try PipelineSettings(configuration), policy: AccessPolicy(unknown: .everything)) { line in
        guard let message = try? RecordedMessage(line: line[...]) else { return }
        messages.append(DerivedJSON(topic: message.message.topic, payload: message.message.payload, retain: false))
    }
    for frame in frames { replay.take(frame) }
    return messages
}

extension GatewayFixture {
    /// Runs `body` with a publisher and a watcher while `gateway` reads, and ends it in order.
    static func run(
        _ gateway: Gateway, beside broker: BrokerProcess, _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        try await beside(broker) { fixture in
            try await run(gateway) { try await body(fixture) }
        }
    }

    /// A broker with config/acl that knows `users`, and a gateway that has its own accounts there.
    static func withAccessList(
        users: [String], configure: (inout GatewayConfiguration) -> Void
    ) async throws -> (BrokerProcess, Gateway) {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "passwords")
        let own: [(account: GatewayConfiguration.Account, user: String)] = [
            (.lane(.safety), "gateway-in"), (.out, "gateway-out"), (.requests, "gateway-query"),
        ]
        for user in own.map({ $0.user }) + users { try BrokerPasswords.add(user, "secret", to: directory.path("passwords")) }
        let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        try directory.write(String(contentsOf: project.appending(path: "config/acl"), encoding: .utf8), to: "acl")
        let broker = try await BrokerProcess(
            settings: [
                "allow_anonymous false", "password_file %d/passwords", "acl_file %d/acl", "use_username_as_clientid true",
            ], in: directory)
        let gateway = try gateway(on: broker) { configuration in
            configure(&configuration)
            for (account, user) in own {
                configuration[account].username = user
                configuration[account].password = Secret("secret")
            }
        }
        return (broker, gateway)
    }

    /// The last status of the gateway.
    var status: DerivedJSON? { watcher.messages.last { $0.topic == "fathom/test/status" } }

    /// The counters in it.
    var counters: [String: Any] { status?.fields["counters"] as? [String: Any] ?? [:] }

    /// Publishes the first depth of a device, at its uptime 100, and waits until it is derived.
    @discardableResult
    func dive(to depth: Double = 3, as id: String = "d1") async throws -> TestDevice {
        var device = TestDevice(id, offset: now - 100)
        try await publish([device.depth(depth, uptime: 100)])
        try await sees("the depth of \(id) is published", of: id) { $0.kind == "depth-state" && $0.number("depth") == depth }
        return device
    }
}
