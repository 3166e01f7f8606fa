import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Ids of messages")
struct MessageIDTests {
    /// The ids of what follows from the frames of `messages`, in order.
    private static let ids = [
        "f56361d1c791c76c43818f74a94c850a": "connection/device connected reported",
        "c29890fb5388c7ae84c5accb0152ba1e": "connection/headphone connected dataResumed",
        "7943b00d72d3b05555e450e78577ad6c": "depth-state submergedDeep sample",
        "88165d546a78a17125b33a46ed58c4f0": "depth-state unknown silence",
        "7cdbf6eeb932d98f090c6943eaeb84ed": "connection/device silent silence",
        "05cd249abb84b7172997dc636b95d2dc": "connection/headphone silent silence",
        "699a61f912214c6a4644c5e0e5198c31": "connection/headphone silent silence",
        "a0911af56368deacb56ce7a2ba1a7d1c": "connection/headphone connected dataResumed",
        "ef25959de2d8fa63e5e53e0c67dc4736": "connection/device connected dataResumed",
        "e5b3c80eb705a04a374a8c3fe6073e5e": "gap",
        "e2851cb1fb531196d808481dcb3498e2": "depth-state submergedDeep sample",
        "b4ce7843f2246d0cfb84763b93fffca6": "depth-state unknown reboot",
        "fcc8d1a05a0d25d1355099eda4cbbe5d": "depth-state submergedDeep sample",
        "00aa2e4ba1af7e0d87f578b90f3a27ff": "connection/device connected reboot",
        "fc24228425b47478efcdfb2620e8048b": "alarm/silent raised",
        "24a4390adff08f04e6dcf6cd75866957": "alarm/contact-lost raised",
    ]

    private static func messages() -> [DerivedJSON] {
        var device = TestDevice()
        var harness = PipelineHarness()
        var messages = harness.send([
            device.status(uptime: 99), device.depth(3, uptime: 100), device.stillHead(uptime: 100.5),
            device.depth(4, uptime: 101), device.stillHead(uptime: 200.5), device.depth(4, uptime: 201, seq: 5),
        ])
        var rebooted = TestDevice(boot: "b2")
        // With a wall clock that is behind it would wait.
        rebooted.sendsWallClock = false
        // The frame after the gap waits for a second; the new boot ends that.
        messages += harness.send(rebooted.depth(2, uptime: 10))
        return messages
    }

    @Test("a message has the same id in every version")
    func ids() {
        let later = ["access/", "usage/"]
        let found = Self.messages().filter { message in !later.contains(where: message.kind.hasPrefix) }.map { message in
            let words = [message.kind, message.text("state"), message.text("cause")].compactMap(\.self)
            return (message.text("id") ?? "", words.joined(separator: " "))
        }
        #expect(Dictionary(found) { first, _ in first } == Self.ids)
    }

    @Test("a gap has the time of its detection and the number received")
    func gap() throws {
        let gap = try #require(Self.messages().first { $0.kind == "gap" })
        #expect(gap.number("received") == 1_763_744_010.05)
        #expect(gap.number("receivedCount") == 0)
        #expect(gap.fields["receivedAt"] == nil)
    }
}
