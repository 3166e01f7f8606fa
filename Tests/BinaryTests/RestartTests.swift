import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@Suite("The whole program, stopped and started again")
struct RestartTests {
    private func start(port: UInt16) throws -> FathomProcess {
        try .gateway("restarted", on: port, ["gateway.statusSeconds=0.2"])
    }

    private func processed(_ messages: [DerivedJSON]) -> Int {
        let statuses = messages.filter { $0.topic == "fathom/restarted/status" }
        var runs: [[String: Any]] = []
        for status in statuses {
            guard let counters = status.fields["counters"] as? [String: Any] else { continue }
            let received = counters["received"] as? Int ?? 0
            if runs.isEmpty || received < (runs.last?["received"] as? Int ?? 0) { runs.append(counters) }
            runs[runs.count - 1] = counters
        }
        return runs.reduce(0) { $0 + ($1["received"] as? Int ?? 0) }
    }

    /// 20 devices and 60 s of their frames, sent as fast as they go through.
    @Test("no frame is lost over a SIGTERM in the middle, and no id comes twice with another content")
    func restart() async throws {
        let broker = try await BrokerProcess()
        let now = SystemGatewayClock().now.unix.seconds
        let fleet = Array(
            Fleet(kinds: [.headphones, .batter, .diver, .watch], count: 20, startingAt: now - 62, duration: 60))
        var watching = GatewayFixture.connection(broker, "watcher")
        watching.subscriptions = [.init("wearables/+/out/#"), .init("fathom/#")]
        let (watcher, publisher) = (BrokerClient(watching), BrokerClient(GatewayFixture.connection(broker, "fleet")))
        let connected = { watcher.messages.contains { $0.text("state") == "online" && $0.topic.hasPrefix("fathom/") } }

        func run() async throws {
            func publish(_ messages: ArraySlice<SimulatedMessage>) async throws {
                for start in stride(from: messages.startIndex, to: messages.endIndex, by: 50) {
                    let part = messages[start..<min(start + 50, messages.endIndex)]
                    try await publisher.publish(
                        part.map { MQTTMessage(topic: $0.topic(), payload: $0.payload, retain: $0.retain) })
                }
            }
            let first = try start(port: broker.port)
            try await eventually("the gateway is online", connected)
            try await eventually("every lane reads") {
                watcher.messages.contains { $0.topic == "fathom/restarted/status" && $0.text("ingress") == "connected" }
            }
            let middle = fleet.count / 2
            try await publish(fleet[..<(middle - 200)])
            async let overlapping: Void = publish(fleet[(middle - 200)..<(middle + 200)])
            let stopped = try await first.terminate()
            #expect(stopped.status == 0, "\(stopped.errors)")
            try await overlapping
            try await publish(fleet[(middle + 200)...])
            let second = try start(port: broker.port)
            try await eventually("every frame was taken in", within: .seconds(90)) {
                processed(watcher.messages) >= fleet.count
            }
            let ended = try await second.terminate()
            #expect(ended.status == 0, "\(ended.errors)")
        }
        try await watcher.run { try await publisher.run(run) }

        let derived = watcher.messages.filter { $0.topic.contains("/out/") && !$0.isClearing }
        #expect(derived.filter { $0.kind == "gap" && $0.text("unit") == "frames" }.isEmpty)
        var contents: [String: String] = [:]
        for message in derived {
            guard let id = message.text("id") else { continue }
            #expect(contents[id] == nil || contents[id] == message.lasting, "\(contents[id] ?? "")\n\(message)")
            contents[id] = message.lasting
        }
        #expect(contents.count > 1000)
    }
}
