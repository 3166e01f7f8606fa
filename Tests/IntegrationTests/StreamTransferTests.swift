import Foundation
import GRDB
import GatewayConfiguration
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import StateCoding
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Streams that move to another lane between two starts", .timeLimit(.minutes(5)))
struct StreamTransferTests {
    private typealias Configure = (inout GatewayConfiguration) -> Void

    private let broker: BrokerProcess
    private let directory: TemporaryDirectory

    init() async throws {
        broker = try await BrokerProcess()
        directory = try TemporaryDirectory()
    }

    private static let headphones = ["headphone-motion", "headphone-connection"]

    /// A configuration in which streams ride on other lanes than by default.
    private func configure(_ moves: [(streams: [String], to: GatewayConfiguration.Lanes.Name)]) -> Configure {
        { [directory] configuration in
            configuration.gateway.stateDirectory = directory.path("state")
            configuration.gateway.publishCommitted = true
            configuration.derive[HeadphoneConnectionDerivation.self].silenceSeconds = 600
            configuration.derive[DeviceConnectionDerivation.self].silenceSeconds = 600
            for (streams, target) in moves {
                for name in GatewayConfiguration.Lanes.Name.allCases {
                    configuration.lanes[name].streams.names.removeAll { streams.contains($0) }
                }
                configuration.lanes[target].streams.names += streams
            }
        }
    }

    private func start(_ configure: Configure, _ body: () async throws -> Void) async throws {
        try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: configure), body)
    }

    /// What must be published of `frames` whatever the lanes are.
    private func expected(_ frames: [RecordedMessage], _ configure: Configure) throws -> [String] {
        var configuration = GatewayConfiguration()
        configuration.gateway.name = "test"
        configure(&configuration)
        var messages: [DerivedJSON] = []
        let replay = Replay(settings: try PipelineSettings(configuration), policy: AccessPolicy(unknown: .everything)) { line in
            guard let message = try? RecordedMessage(line: line[...]) else { return }
            messages.append(DerivedJSON(topic: message.message.topic, payload: message.message.payload, retain: false))
        }
        for frame in frames { replay.take(frame) }
        return compared(messages)
    }

    private func compared(_ messages: [DerivedJSON]) -> [String] {
        let kinds = [
            "head-pose", "connection/headphone", "connection/device", "access/headphone-motion", "access/batched-imu", "gap",
        ]
        return messages.filter { kinds.contains($0.kind) }.map(\.lasting).sorted()
    }

    /// Expects that everything was published once; messages with `topic` in their text do not count.
    private func expect(
        _ fixture: GatewayFixture, _ expected: [String], besides topic: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let published = compared(fixture.watcher.messages).filter { message in topic.map { !message.contains($0) } ?? true }
        let (missing, other) = (Set(expected).subtracting(published).sorted(), Set(published).subtracting(expected).sorted())
        #expect(missing.isEmpty, "\(missing.count) are missing", sourceLocation: sourceLocation)
        #expect(other.isEmpty, "\(other.count) are not expected", sourceLocation: sourceLocation)
        #expect(published.count == Set(published).count, "some are published twice", sourceLocation: sourceLocation)
    }

    private func counters(_ fixture: GatewayFixture) -> [String: Any]? {
        fixture.watcher.messages.last { $0.topic == "fathom/test/status" && $0.fields["counters"] != nil }?.fields["counters"]
            as? [String: Any]
    }

    private func count(_ name: String, _ fixture: GatewayFixture) -> Int? { (counters(fixture)?[name] as? NSNumber)?.intValue }

    private func devices(_ count: Int) -> [TestDevice] {
        let now = SystemGatewayClock().now.unix.seconds
        return (0..<count).map { TestDevice("d\($0)", offset: now - 400) }
    }

    /// `count` frames of each device, from `from` on, five a second.
    private func heads(_ devices: inout [TestDevice], _ range: Range<Int>) -> [RecordedMessage] {
        range.flatMap { index in devices.indices.map { devices[$0].stillHead(uptime: 100 + Double(index) / 5) } }
    }

    @Test("1,000 queued frames are derived from once, over a move and back")
    func queued() async throws {
        let (before, moved) = (configure([]), configure([(Self.headphones, .bulk)]))
        var devices = devices(4)
        let first = [devices[0].status(uptime: 99)] + heads(&devices, 0..<10)
        let queued = heads(&devices, 10..<260)
        let during = heads(&devices, 260..<300)
        let after = heads(&devices, 300..<310)
        let back = heads(&devices, 310..<320)
        let all = first + queued + during + after + back
        #expect(queued.count == 1_000)
        let expected = try expected(all, before)
        #expect(expected.count > 1_000 && Set(expected).count == expected.count)
        try await GatewayFixture.beside(broker) { fixture in
            try await start(before) {
                try await fixture.publish(first)
                // An activity that the lane of the connections has not processed when the gateway stops is lost.
                try await eventually("the first frames are derived from, and all devices are connected") {
                    (0..<4).allSatisfy { device in
                        let messages = fixture.watcher.messages(of: "d\(device)")
                        return messages.contains { $0.isPose(at: 9) } && messages.contains { $0.kind == "connection/device" }
                    }
                }
            }
            try await fixture.publish(queued)
            let publishing = Task {
                for frame in during { try await fixture.publish([frame]) }
            }
            try await start(moved) {
                try await publishing.value
                try await fixture.publish(after)
                try await eventually("everything up to here is derived from") {
                    (0..<4).allSatisfy { fixture.watcher.messages(of: "d\($0)").contains { $0.isPose(at: 309) } }
                }
            }
            try await eventually("the status counts every frame") {
                count("processed", fixture) == queued.count + during.count + after.count
            }
            #expect(count("missingFrames", fixture) == 0)
            try await start(before) {
                try await fixture.publish(back)
                try await eventually("everything is derived from") {
                    (0..<4).allSatisfy { fixture.watcher.messages(of: "d\($0)").contains { $0.isPose(at: 319) } }
                }
            }
            try await eventually("the status counts every frame") { count("processed", fixture) == back.count }
            expect(fixture, expected)
        }
    }

    @Test("two lanes exchange streams")
    func exchanged() async throws {
        let (before, moved) = (configure([]), configure([(Self.headphones, .bulk), (["batched-imu"], .motion)]))
        var devices = devices(3)
        func frames(_ range: Range<Int>) -> [RecordedMessage] {
            heads(&devices, range)
                + range.flatMap { index in devices.indices.map { devices[$0].accelerometer(start: 100 + Double(index) / 10) } }
        }
        let parts = [frames(0..<5), frames(5..<60), frames(60..<65)]
        // Which of two lanes reports a device's activity first is not determined.
        let expected = try expected(parts.flatMap(\.self), before).filter { !$0.contains("/connection/device ") }
        try await GatewayFixture.beside(broker) { fixture in
            try await start(before) {
                try await fixture.publish(parts[0])
                // A frame that is left over is counted by the second start.
                try await eventually("the status counts every frame") { count("processed", fixture) == parts[0].count }
            }
            try await fixture.publish(parts[1])
            try await start(moved) {
                try await fixture.publish(parts[2])
                try await eventually("everything is derived from") {
                    compared(fixture.watcher.messages).count >= expected.count + 3
                }
                // Accelerometer frames alone give no message.
                try await eventually("the status counts every frame") {
                    count("processed", fixture) == parts[1].count + parts[2].count
                }
            }
            #expect(count("missingFrames", fixture) == 0)
            expect(fixture, expected, besides: "/connection/device ")
        }
    }

    @Test(
        "a lane that loses all its streams, to one lane or to two, is drained, and its session and its files are removed",
        arguments: [GatewayConfiguration.Lanes.Name.motion, .safety])
    func emptied(other: GatewayConfiguration.Lanes.Name) async throws {
        let (before, moved) = (
            configure([]),
            configure([(["batched-imu"], .motion), (["recorded-accelerometer", "movement-disorder"], other)])
        )
        var devices = devices(2)
        func batches(_ range: Range<Int>) -> [RecordedMessage] {
            range.flatMap { index in devices.indices.map { devices[$0].accelerometer(start: 100 + Double(index) / 10) } }
        }
        let parts = [batches(0..<5), batches(5..<55), batches(55..<60)]
        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path("state")) }
        try await GatewayFixture.beside(broker) { fixture in
            try await start(before) {
                try await fixture.publish(parts[0])
                try await eventually("the first frames are processed") {
                    fixture.watcher.messages.count { $0.kind == "access/batched-imu" } == 2
                }
            }
            #expect(try files().contains("bulk.sqlite"))
            try await DatabaseQueue(path: directory.path("state/bulk.sqlite")).write {
                try $0.execute(sql: "INSERT INTO events VALUES ('d0', 5.5, 'a', 'day', x'7b7d')")
            }
            try await fixture.publish(parts[1])
            try await start(moved) {
                try await fixture.publish(parts[2])
                try await eventually("everything is committed") {
                    (0..<2).allSatisfy { device in
                        fixture.watcher.messages(of: "d\(device)").contains {
                            $0.kind == "committed/batched-imu" && $0.number("seq") == 59
                        }
                    }
                }
            }
            #expect(try files().filter { $0.hasPrefix("bulk") } == [])
            let kept = try ["motion", "safety"].map { lane in
                try DatabaseQueue(path: directory.path("state/\(lane).sqlite")).read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM events WHERE id = 'a'") ?? 0
                }
            }
            #expect(kept.reduce(0, +) == 1, "the messages for the query `events` have moved to one of the lanes")
            #expect(count("missingFrames", fixture) == 0)
            #expect(!fixture.watcher.messages.contains { $0.kind == "gap" })
            let sessions = [try await hasSession("test-in-bulk"), try await hasSession("test-in-motion")]
            #expect(sessions == [false, true])
            try await start(before) {
                try await fixture.publish(batches(60..<61))
                try await eventually("the new session is there") { try files().contains("bulk.filters") }
            }
            #expect(!fixture.watcher.messages.contains { $0.kind == "gap" })
        }
    }

    @Test("where the broker allows the account one connection, the states of all lanes move to one")
    func oneConnection() async throws {
        let broker = try await BrokerProcess(settings: ["allow_anonymous true", "use_username_as_clientid true"])
        func shared(withAccounts: Bool) -> Configure {
            let common = configure([])
            return { configuration in
                common(&configuration)
                configuration.mqtt.out.username = "out"
                configuration.lanes[.safety].account.username = "in"
                guard withAccounts else { return }
                configuration.lanes[.motion].account.username = "in-motion"
                configuration.lanes[.bulk].account.username = "in-bulk"
            }
        }
        var devices = devices(2)
        let parts = (0..<3).map { part in heads(&devices, part * 5..<part * 5 + 5) }
        let expected = try expected(parts.flatMap(\.self), shared(withAccounts: true))
        try await GatewayFixture.beside(broker) { fixture in
            for (index, part) in parts.enumerated() {
                try await GatewayFixture.run(GatewayFixture.gateway(on: broker, configure: shared(withAccounts: index != 1))) {
                    try await fixture.publish(part)
                    try await eventually("part \(index) is derived from") {
                        (0..<2).allSatisfy { device in
                            let messages = fixture.watcher.messages(of: "d\(device)")
                            // Another lane derives connections, a moment later.
                            return messages.contains { $0.isPose(at: index * 5 + 4) }
                                && messages.contains { $0.kind == "connection/device" }
                        }
                    }
                }
                // The motion lane's session cannot be read by the next start, which has another account: no lane publishes this.
                if index == 0 { try await owe(by: .motion) }
            }
            expect(fixture, expected)
            #expect(
                fixture.watcher.messages.count { $0.kind == "dive" && $0.isClearing } == 1,
                "what a lane owed is published before its streams move"
            )
        }
    }

    /// Adds a message that a replay has led to to the file of a lane.
    private func owe(by lane: GatewayConfiguration.Lanes.Name) async throws {
        let device = try #require(DeviceID("d0"))
        let encoder = OutboundEncoder(try PipelineSettings(GatewayConfiguration()))
        let message = OutboundMessage(topic: encoder.topic("dive", of: device), payload: [])
        let bytes = try StateCoder.encode(try #require(OwedMessage(message, of: device, by: encoder)))
        try await DatabaseQueue(path: directory.path("state/\(lane.rawValue).sqlite")).write {
            try $0.execute(
                sql: "INSERT INTO debt (device, kind, message) VALUES (?, ?, ?)",
                arguments: [device.rawValue, "dive", Data(bytes)])
        }
    }

    /// Whether the broker has a session of `client`; none is left afterwards.
    private func hasSession(_ client: String) async throws -> Bool {
        var connection = GatewayFixture.connection(broker, client)
        connection.cleanStart = false
        let client = MosquittoClient(configuration: connection, logger: CollectedLog().logger)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await client.run() }
            var isPresent = false
            for await state in client.stateChanges() {
                guard case .connected(let sessionPresent) = state else { continue }
                isPresent = sessionPresent
                break
            }
            await client.stop()
            try await tasks.waitForAll()
            return isPresent
        }
    }
}

extension DerivedJSON {
    /// Whether it is a head pose of a device's frame with that `seq`.
    fileprivate func isPose(at sequence: Int) -> Bool {
        guard kind == "head-pose", let source = fields["source"] as? [String: Any] else { return false }
        return (source["seq"] as? [NSNumber])?.last?.intValue == sequence
    }
}
