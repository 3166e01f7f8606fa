import FleetSimulator
import Foundation
import GatewayPipeline
import HomeAssistant
import TelemetryModel
import Testing

@Suite("The discovery messages of simulated devices")
struct GoldenTests {
    private static func origin(_ name: String) -> DeviceOrigin {
        DeviceOrigin(device: name, unix: 1_763_749_000, uptime: 5321.25, seed: 1, duration: 60)
    }

    /// What the pipeline reports of a fleet, and the messages that follow from it.
    private func announcements(of fleet: Fleet) throws -> [String: Announcement] {
        var settings = PipelineSettings(gateway: try #require(Identifier("gateway")))
        settings.reportsKinds = true
        let policy = AccessPolicy(unknown: .everything)
        var pipeline = Pipeline(settings: settings, policy: policy)
        var check = AdmissionCheck(policy: policy, settings: settings)
        var devices = AnnouncedDevices(policy: policy)
        let senders = SenderReader(settings: settings)
        for frame in fleet {
            let now = GatewayTime(unix: UnixTime(frame.at + 0.05), monotonic: frame.at + 0.05)
            var refused: [OutboundMessage] = []
            let message = InboundMessage(topic: frame.topic(), payload: frame.payload, retain: frame.retain)
            guard let known = check.admit(senders.read(message, for: .whole), for: .whole, at: now, into: &refused) else {
                continue
            }
            _ = pipeline.process(known, at: now)
            _ = pipeline.tick(at: now)
            devices.note(pipeline.takeKindReports(), by: StreamShare.whole.streams)
        }
        var messages: [String: Announcement] = [:]
        for change in devices.takeChanges() {
            guard let announced = change.announced else { continue }
            messages[change.device.rawValue] = try Announcement(Announcement.encoder().payload(of: change.device, announced))
        }
        return messages
    }

    /// Compares with a file of `Golden/`, or writes it.
    private func check(_ announcement: Announcement?, _ name: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).json")
        let text = try #require(announcement).text
        if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] == "1" {
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test("a diver, a batter and headphones; UPDATE_REFERENCE=1 writes the files anew")
    func devices() throws {
        let messages = try announcements(
            of: Fleet([Diver(Self.origin("ultra-1")), Batter(Self.origin("batter-1")), Headphones(Self.origin("pods-1"))]))
        #expect(messages.keys.sorted() == ["batter-1", "pods-1", "ultra-1"])
        try check(messages["ultra-1"], "diver")
        try check(messages["batter-1"], "batter")
        try check(messages["pods-1"], "headphones")
    }

    @Test("the gateway itself")
    func gateway() throws { try check(try Announcement.gateway(), "gateway") }
}
