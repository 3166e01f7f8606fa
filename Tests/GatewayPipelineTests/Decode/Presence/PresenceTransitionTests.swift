import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Presence beside frames")
struct PresenceTransitionTests {
    private static let start = 1_763_749_000.0

    private func harness() throws -> PipelineHarness {
        PipelineHarness(producers: try ProducersText.producers("presence: {name: p, preset: esphome}"))
    }

    /// `at state (cause)` of each transition.
    private func transitions(_ messages: [DerivedJSON]) -> [String] {
        messages.filter { $0.kind == "connection/device" }.map { message in
            let at = (message.number("at") ?? 0) - Self.start
            return "\(Int(at.rounded())) \(message.text("state") ?? "-") (\(message.text("cause") ?? "-"))"
        }
    }

    @Test("Reports alone give transitions, each once")
    func wordsAlone() throws {
        var harness = try harness()
        var messages: [DerivedJSON] = []
        for (index, word) in ["online", "online", "offline", "offline", "online"].enumerated() {
            messages += harness.send(mapped("d1/status", word, at: Self.start + Double(index), retain: index == 0))
        }
        #expect(transitions(messages) == ["0 connected (reported)", "2 disconnected (lastWill)", "4 connected (reported)"])
        #expect(messages.allSatisfy { $0.kind == "connection/device" && $0.retain })
    }

    @Test("A device that then sends frames has not rebooted, and its silence counts")
    func framesAfterWord() throws {
        var harness = try harness()
        var device = TestDevice()
        var messages = harness.send(mapped("d1/status", "online", at: Self.start))
        for second in 1..<10 {
            messages += harness.send(device.stillHead(uptime: Self.start + Double(second) - device.offset))
        }
        #expect(transitions(messages) == ["0 connected (reported)"])
        messages += harness.tick(at: Self.start + 60)
        #expect(transitions(messages).last == "39 silent (silence)")
        messages += harness.send(mapped("d1/status", "offline", at: Self.start + 70))
        #expect(transitions(messages).last == "70 disconnected (lastWill)")
        messages += harness.send(device.stillHead(uptime: Self.start + 80 - device.offset))
        #expect(transitions(messages).last == "80 connected (dataResumed)")
        #expect(harness.pipeline.counters.late == 0)
    }

    @Test("A retained status after a report is not treated as one of an earlier boot")
    func retainedStatusAfterWord() throws {
        var harness = try harness()
        var device = TestDevice()
        var status = device.status(uptime: 5000, #","entitlements":[]"#)
        status.at = Self.start + 1
        var messages = harness.send(mapped("d1/status", "online", at: Self.start, retain: true))
        messages += harness.send(status)
        #expect(harness.pipeline.counters.late == 0)
        #expect(harness.state(of: "d1")?.status?.entitlements == [])
        #expect(transitions(messages) == ["0 connected (reported)"])
        messages += harness.send(mapped("d1/status", "offline", at: Self.start + 10))
        #expect(transitions(messages).last == "10 disconnected (lastWill)")
    }

    @Test("A report between frames keeps the boot, waiting messages and the depth")
    func wordBetweenFrames() throws {
        var harness = try harness()
        var device = TestDevice()
        let uptime = Self.start - device.offset
        var messages = (0..<5).flatMap { harness.send(device.depth(3, uptime: uptime + Double($0))) }
        let before = harness.state(of: "d1")?.intake.boots.current
        messages += harness.send(mapped("d1/status", "online", at: Self.start + 5))
        messages += harness.send(device.depth(3, uptime: uptime + 5, seq: 6))
        messages += harness.send(mapped("d1/status", "online", at: Self.start + 5.2))
        messages += harness.send(device.depth(3, uptime: uptime + 5.3, seq: 5))
        #expect(harness.state(of: "d1")?.intake.boots.current == before)
        #expect(messages.count { $0.kind == "depth-state" } == 1)
        #expect(!messages.contains { $0.kind == "gap" })
        #expect(transitions(messages).count == 1)
    }

    @Test("An ignored word, or a report about an unknown device, changes nothing")
    func nothing() throws {
        let producers = try ProducersText.producers("presence: {name: p, preset: homie}")
        var harness = PipelineHarness(producers: producers)
        var device = TestDevice()
        _ = harness.send(device.stillHead(uptime: Self.start - device.offset))
        let before = harness.state(of: "d1")
        #expect(harness.send(mapped("homie/5/d1/$state", "init", at: Self.start + 1)).isEmpty)
        #expect(harness.state(of: "d1") == before)
        var closed = PipelineHarness(producers: producers, policy: AccessPolicy())
        let messages = closed.send(mapped("homie/5/d1/$state", "ready", at: Self.start))
        #expect(messages.map { $0.text("reason") } == ["unknownDevice"])
        #expect(closed.pipeline.deviceCount == 0)
    }

    @Test("A reboot after a report is still a reboot")
    func reboot() throws {
        var harness = try harness()
        var first = TestDevice()
        var second = TestDevice("d1", boot: "b2", offset: Self.start)
        var messages = harness.send(mapped("d1/status", "online", at: Self.start))
        messages += harness.send(first.stillHead(uptime: Self.start + 1 - first.offset))
        messages += harness.send(second.stillHead(uptime: 5))
        #expect(transitions(messages) == ["0 connected (reported)", "5 connected (reboot)"])
    }

    // MARK: Bridges

    private static let bridge = """
        presence: {name: b, topic: z/bridge/state, pointer: /state, devices: [d1, "zb-*"], online: online, offline: offline}
        """

    private static func registry(_ devices: String...) -> AccessPolicy {
        AccessPolicy(devices: Dictionary(uniqueKeysWithValues: devices.compactMap(Identifier.init).map { ($0, .everything) }))
    }

    @Test("A bridge's offline disconnects each device behind it that has a state, and its online changes none")
    func bridge() throws {
        var harness = PipelineHarness(
            producers: try ProducersText.producers(Self.bridge), policy: Self.registry("d1", "zb-1", "zb-2", "other"))
        var devices = ["d1", "zb-1", "other"].map { TestDevice($0) }
        var messages: [DerivedJSON] = []
        for index in devices.indices {
            messages += harness.send(devices[index].stillHead(uptime: Self.start - devices[index].offset))
        }
        messages += harness.send(mapped("z/bridge/state", #"{"state":"online"}"#, at: Self.start + 1))
        #expect(transitions(messages).count == 3)
        messages = harness.send(mapped("z/bridge/state", #"{"state":"offline"}"#, at: Self.start + 2))
        #expect(transitions(messages) == ["2 disconnected (lastWill)", "2 disconnected (lastWill)"])
        #expect(messages.map(\.topic).sorted() == ["d1", "zb-1"].map { "wearables/\($0)/out/connection/device" })
        #expect(harness.pipeline.deviceCount == 3)
        messages = harness.send(mapped("z/bridge/state", #"{"state":"offline"}"#, at: Self.start + 3))
        messages += harness.send(mapped("z/bridge/state", #"{"state":"online"}"#, at: Self.start + 4))
        #expect(transitions(messages).isEmpty)
        messages = harness.send(devices[1].stillHead(uptime: Self.start + 5 - devices[1].offset))
        #expect(transitions(messages) == ["5 connected (dataResumed)"])
    }

    @Test("A word of a bridge that is not known is rejected once, and an unregistered device has to be named")
    func strangers() throws {
        var harness = PipelineHarness(producers: try ProducersText.producers(Self.bridge))
        for device in ["d1", "zb-1"] {
            var device = TestDevice(device)
            _ = harness.send(device.stillHead(uptime: Self.start - device.offset))
        }
        let rejected = harness.send(mapped("z/bridge/state", #"{"state":"maybe"}"#, at: Self.start + 1))
        #expect(rejected.map { $0.text("reason") } == ["invalidValue"])
        #expect(!rejected.contains { $0.topic.hasPrefix("wearables/") })
        let messages = harness.send(mapped("z/bridge/state", #"{"state":"offline"}"#, at: Self.start + 2))
        #expect(messages.map(\.topic) == ["wearables/d1/out/connection/device"])
    }

    @Test("A journal applies a bridge's message to the device that it is read for")
    func journal() throws {
        var settings = PipelineHarness.settings
        settings.producers = try ProducersText.producers(Self.bridge)
        let policy = Self.registry("d1", "zb-1")
        var harness = PipelineHarness(settings: settings, policy: policy)
        var devices = ["d1", "zb-1"].map { TestDevice($0) }
        for index in devices.indices {
            _ = harness.send(devices[index].stillHead(uptime: Self.start - devices[index].offset))
        }
        harness.pipeline.beginJournal(after: 0)
        _ = try harness.pipeline.takeChanges()
        harness.pipeline.noteWritten()
        let before = ["d1", "zb-1"].map { harness.state(of: $0) }
        _ = harness.send(mapped("z/bridge/state", #"{"state":"offline"}"#, at: Self.start + 2))
        let changes = try harness.pipeline.takeChanges()
        let taken = harness.pipeline.takeJournalRow()
        let row = try #require(taken)
        #expect(changes.count == 2)
        var replay = JournalReplay(settings: settings, policy: policy, share: .whole)
        for (index, name) in ["d1", "zb-1"].enumerated() {
            let device = try #require(Identifier(name))
            var state = try #require(before[index])
            let entries = try row.entries().filter { $0.device == device }
            #expect(entries.count == 1)
            _ = try replay.advance(&state, of: device, by: entries)
            #expect(state.boot == harness.state(of: name)?.boot)
            #expect(state.boot != before[index]?.boot)
        }
    }
}
