import GatewayConfiguration
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Mosquitto
import TelemetryModel
import Testing

@testable import GatewayPipeline

/// A broker that makes the account the client id: lanes of one account share a session.
@Suite("Sessions of an earlier start", .timeLimit(.minutes(5)))
struct FormerSessionsTests {
    private typealias Configure = (inout GatewayConfiguration) -> Void

    private let broker: BrokerProcess
    private let directory: TemporaryDirectory
    private let log = CollectedLog()

    init() async throws {
        broker = try await BrokerProcess(settings: ["allow_anonymous true", "use_username_as_clientid true"])
        directory = try TemporaryDirectory()
    }

    /// A configuration with an account for each lane, in order; a lane without one has that of the safety lane.
    private func configure(_ accounts: String?...) -> Configure {
        { [directory] configuration in
            configuration.gateway.stateDirectory = directory.path("state")
            configuration.gateway.publishCommitted = true
            configuration.derive[HeadphoneConnectionDerivation.self].silenceSeconds = 600
            configuration.derive[DeviceConnectionDerivation.self].silenceSeconds = 600
            configuration.mqtt.out.username = "out"
            for (name, account) in zip(GatewayConfiguration.Lanes.Name.allCases, accounts) {
                configuration.lanes[name].account.username = account
            }
        }
    }

    private var own: Configure { configure("in", "in-motion", "in-bulk") }
    /// Two lanes of one account: all share the session of `in`.
    private var shared: Configure { configure("in", "in-motion", "in-motion") }

    private func start(_ configure: Configure, _ body: () async throws -> Void) async throws {
        try await GatewayFixture.run(GatewayFixture.gateway(on: broker, logger: log.logger, configure: configure), body)
    }

    /// What must be published of `frames` whatever the sessions are.
    private func expected(_ frames: [RecordedMessage]) throws -> [String] {
        compared(try replayed(frames, configure: own))
    }

    private func compared(_ messages: [DerivedJSON]) -> [String] {
        let kinds = [
            "head-pose", "connection/headphone", "access/headphone-motion", "access/batched-imu", "access/submersion", "gap",
        ]
        return messages.filter { kinds.contains($0.kind) }.map(\.lasting).sorted()
    }

    /// Expects that everything was published once.
    private func expect(
        _ fixture: GatewayFixture, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let published = compared(fixture.watcher.messages)
        let (missing, other) = (Set(expected).subtracting(published).sorted(), Set(published).subtracting(expected).sorted())
        #expect(missing.isEmpty, "\(missing) are missing", sourceLocation: sourceLocation)
        #expect(other.isEmpty, "\(other) are not expected", sourceLocation: sourceLocation)
        #expect(published.count == Set(published).count, "some are published twice", sourceLocation: sourceLocation)
    }

    private func devices(_ count: Int) -> [TestDevice] {
        (0..<count).map { TestDevice("d\($0)", offset: now - 400) }
    }

    /// `count` frames of each device, from `from` on, five a second.
    private func heads(_ devices: inout [TestDevice], _ range: Range<Int>) -> [RecordedMessage] {
        range.flatMap { index in devices.indices.map { devices[$0].stillHead(uptime: 100 + Double(index) / 5) } }
    }

    /// Frames of each device for each lane: `range` of headphones and batches, and a dive.
    private func frames(_ devices: inout [TestDevice], _ range: Range<Int>) -> [RecordedMessage] {
        heads(&devices, range)
            + range.flatMap { index in devices.indices.map { devices[$0].accelerometer(start: 100 + Double(index) / 10) } }
            + dive(&devices, at: 100 + Double(range.lowerBound) / 5)
    }

    private func dive(_ devices: inout [TestDevice], at uptime: Double) -> [RecordedMessage] {
        [0.0, 3, 6, 3, 0].enumerated().flatMap { index, depth in
            devices.indices.map { devices[$0].depth(depth, uptime: uptime + Double(index) / 10) }
        }
    }

    /// Waits until everything up to the `seq` of a stream is committed.
    private func committed(_ fixture: GatewayFixture, _ sequences: [String: Double]) async throws {
        try await eventually("everything up to here is committed") {
            sequences.allSatisfy { stream, sequence in
                (0..<2).allSatisfy { device in
                    fixture.watcher.messages(of: "d\(device)").contains {
                        $0.kind == "committed/\(stream)" && $0.number("seq") == sequence
                    }
                }
            }
        }
    }

    @Test("a shared session is read to its end by all lanes once each has its own, and nothing is lost or derived twice")
    func divided() async throws {
        var devices = devices(2)
        let parts = [frames(&devices, 0..<5), frames(&devices, 5..<105), frames(&devices, 105..<110)]
        let expected = try expected(parts.flatMap(\.self))
        try await GatewayFixture.beside(broker) { fixture in
            try await start(shared) {
                try await fixture.publish(parts[0])
                try await committed(fixture, ["headphone-motion": 4, "batched-imu": 4, "submersion": 4])
            }
            // What the shared session has queued belongs to all lanes.
            try await fixture.publish(parts[1])
            try await start(own) {
                try await fixture.publish(parts[2])
                try await committed(fixture, ["headphone-motion": 109, "batched-imu": 109, "submersion": 14])
            }
            expect(fixture, expected)
        }
        #expect(log.lines.contains { $0.contains("is read to its end") })
        #expect(broker.log.contains("Received UNSUBSCRIBE from in\n"), "the safety lane's session has its own filters alone")
        // A third start has nothing to read.
        let before = log.lines.count
        try await start(own) {}
        #expect(!log.lines.dropFirst(before).contains { $0.contains("is read to its end") })
    }

    /// Frames without any for the bulk lane: where its account changes, nothing may be queued for it.
    private func headsAndDive(_ devices: inout [TestDevice], _ range: Range<Int>) -> [RecordedMessage] {
        heads(&devices, range) + dive(&devices, at: 100 + Double(range.lowerBound) / 5)
    }

    @Test("a session of one lane is read to its end, and ended, when the lanes share another")
    func joined() async throws {
        var devices = devices(2)
        let parts = [headsAndDive(&devices, 0..<5), headsAndDive(&devices, 5..<105), headsAndDive(&devices, 105..<110)]
        let expected = try expected(parts.flatMap(\.self))
        try await GatewayFixture.beside(broker) { fixture in
            try await start(own) {
                try await fixture.publish(parts[0])
                try await committed(fixture, ["headphone-motion": 4, "submersion": 4])
            }
            try await fixture.publish(parts[1])
            try await start(shared) {
                try await fixture.publish(parts[2])
                try await committed(fixture, ["headphone-motion": 109, "submersion": 14])
            }
            expect(fixture, expected)
        }
        #expect(log.lines.contains { $0.contains("is read to its end") })
        #expect(try await !hasSession("in-motion"))
    }

    @Test("a change that is undone before it is made loses nothing and derives nothing twice", arguments: [true, false])
    func undone(beginsShared: Bool) async throws {
        var devices = devices(2)
        let parts = [
            headsAndDive(&devices, 0..<5), headsAndDive(&devices, 5..<55), headsAndDive(&devices, 55..<105),
            headsAndDive(&devices, 105..<110),
        ]
        let expected = try expected(parts.flatMap(\.self))
        let (first, other) = beginsShared ? (shared, own) : (own, shared)
        try await GatewayFixture.beside(broker) { fixture in
            try await start(first) {
                try await fixture.publish(parts[0])
                try await committed(fixture, ["headphone-motion": 4, "submersion": 4])
            }
            try await fixture.publish(parts[1])
            // Ends as a start that is killed once the present sessions are subscribed.
            try await GatewayFixture.gateway(on: broker, subscribesOnly: true, logger: log.logger, configure: other).run()
            try await fixture.publish(parts[2])
            try await start(first) {
                try await fixture.publish(parts[3])
                try await committed(fixture, ["headphone-motion": 109, "submersion": 19])
            }
            expect(fixture, expected)
        }
        #expect(!log.lines.contains { $0.contains("is read to its end") })
        #expect(try await hasSession("in-motion") == !beginsShared)
    }

    @Test("what is queued for a session under an account that no lane has any more is published as gaps")
    func unreachable() async throws {
        var devices = devices(2)
        let parts = [
            frames(&devices, 0..<5), heads(&devices, 5..<10), heads(&devices, 10..<15) + dive(&devices, at: 102),
        ]
        try await GatewayFixture.beside(broker) { fixture in
            try await start(own) {
                try await fixture.publish(parts[0])
                try await committed(fixture, ["headphone-motion": 4, "batched-imu": 4, "submersion": 4])
            }
            try await fixture.publish(parts[1])
            try await start(configure("in", nil, nil)) {
                try await fixture.publish(parts[2])
                try await committed(fixture, ["headphone-motion": 14, "submersion": 9])
            }
            let gaps = fixture.watcher.messages.filter { $0.kind == "gap" }
            #expect(gaps.count == 2)
            for gap in gaps { #expect(gap.text("stream") == "headphone-motion") }
            // Of the frames behind the gap nothing is expected: they wait for those before them.
            let published = compared(fixture.watcher.messages)
            #expect(Set(try self.expected(parts[0] + parts[2])).isSubset(of: published))
            #expect(published.count == Set(published).count, "some are published twice")
        }
        #expect(log.lines.count { $0.contains("are not read, and published as gaps") } == 2)
    }

    /// Whether the broker has a session of `client`; none is left afterwards.
    private func hasSession(_ client: String) async throws -> Bool {
        var connection = GatewayFixture.connection(broker, client)
        connection.cleanStart = false
        let session = BrokerClient(connection)
        var isKept = false
        try await session.run { isKept = session.state == .connected(sessionPresent: true) }
        return isKept
    }
}
