import Foundation
import GatewayPipeline
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@testable import GatewayRuntime

@Suite("The committed messages of a device")
struct CommittedMessagesTests {
    private let folder: TemporaryDirectory
    private let device: DeviceID

    init() throws {
        folder = try TemporaryDirectory()
        device = try #require(Identifier("d1"))
    }

    private func stored(_ directory: StateDirectory) async throws -> [String: String] {
        let messages = try await CommittedMessages(files: LaneFiles(folder: directory.path)).messages(of: device).messages
        return Dictionary(uniqueKeysWithValues: messages.map { ($0.kind, String(decoding: $0.payload, as: UTF8.self)) })
    }

    /// The payloads as a reader without the gateway's types has them.
    private func depth(_ messages: [String: String]) -> Double? {
        messages["depth-state"].flatMap {
            DerivedJSON(topic: "wearables/d1/out/depth-state", payload: Array($0.utf8), retain: true).number("depth")
        }
    }

    @Test("what is published and not committed is not read; after the commit it is, retained or not")
    func committed() async throws {
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, startedAt: 1_763_744_000)
        var app = TestDevice()
        try lane.take([app.depth(0.5, uptime: 100)])
        #expect(try await stored(directory).isEmpty)
        try lane.commit(at: 1_763_744_101)
        #expect(try await depth(stored(directory)) == 0.5)
        let published = try lane.take([app.depth(3, uptime: 102, seq: 2)]) + lane.run(.drain, at: 1_763_744_110)
        #expect(published.contains { $0.kind == "gap" } && published.contains { $0.number("depth") == 3 })
        // A kill here would leave the older one.
        #expect(try await depth(stored(directory)) == 0.5)
        try lane.commit(at: 1_763_744_111)
        let after = try await stored(directory)
        #expect(depth(after) == 3)
        #expect(after["gap"] != nil)
    }

    @Test("a device that is in no file, and a folder without files, have none")
    func nothing() async throws {
        #expect(
            try await CommittedMessages(files: LaneFiles(folder: folder.path("nowhere"))).messages(of: device).messages.isEmpty)
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, startedAt: 1_763_744_000)
        var other = TestDevice("d10")
        try lane.take([other.depth(3, uptime: 100)])
        try lane.commit(at: 1_763_744_101)
        #expect(try await stored(directory).isEmpty)
    }

    @Test("states that are on disk only are read, and a message survives a restart unchanged")
    func restarted() async throws {
        let directory = try StateDirectory(in: folder)
        var app = TestDevice()
        do {
            let lane = try DurableLane(in: directory, startedAt: 1_763_744_000)
            try lane.take([app.depth(3, uptime: 100), app.depth(3, uptime: 101, seq: 2)])
            try lane.run(.drain, at: 1_763_744_110)
            try lane.commit(at: 1_763_744_111)
        }
        let before = try await stored(directory)
        #expect(before["gap"] != nil)
        let next = try DurableLane(in: directory, startedAt: 1_763_744_200)
        try next.commit(at: 1_763_744_200)
        #expect(try await stored(directory)["gap"] == before["gap"])
        try next.evict(at: 1_763_744_300)
        #expect(try await stored(directory)["gap"] == before["gap"])
    }

    @Test("a denied device leaves nothing but the refusal, a removed one nothing at all")
    func erased() async throws {
        let directory = try StateDirectory(in: folder)
        let lane = try DurableLane(in: directory, startedAt: 1_763_744_000)
        var app = TestDevice()
        try lane.take([app.depth(3, uptime: 100), app.depth(3, uptime: 101, seq: 2)])
        try lane.run(.drain, at: 1_763_744_110)
        try lane.commit(at: 1_763_744_111)
        try lane.run(.replace(PipelineHarness.policy("d1", DevicePolicy(authorization: .denied))), at: 1_763_744_112)
        try lane.commit(at: 1_763_744_112)
        #expect(try await stored(directory).keys.sorted() == ["access/submersion", "alarm/refused/submersion"])
        try lane.run(.replace(AccessPolicy()), at: 1_763_744_113)
        try lane.commit(at: 1_763_744_113)
        #expect(try await stored(directory).isEmpty)
    }

    @Test("a file that is no database is an error")
    func damaged() async throws {
        try folder.write(String(repeating: "x", count: 8_192), to: "safety.sqlite")
        await #expect(throws: (any Error).self) {
            try await CommittedMessages(files: LaneFiles(folder: folder.url.path)).messages(of: device)
        }
    }
}
