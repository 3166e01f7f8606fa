import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Presence rules")
struct PresenceTests {
    static let presets = """
        presence:
          - { name: ow, preset: owntracks }
          - { name: homie, preset: homie }
          - { name: esphome, preset: esphome }
          - { name: near, preset: espruinohub }
          - { name: z2m, topic: "zigbee2mqtt/{device}/availability", online: online, offline: [offline, gone], pointer: /state }
          - { name: lamp, topic: lamp/here, device: lamp-1, online: ["1"], offline: "*" }
        """

    private let producers: Producers

    init() throws { producers = try ProducersText.producers(Self.presets) }

    private func content(_ topic: String, _ payload: String) throws -> DecodedMessage.Content {
        let message = try ProducerDecoding.decode(topic, payload, producers)
        #expect(message.header.boot.rawValue == "presence")
        #expect(message.header.uptime.seconds == ProducerDecoding.received)
        #expect(message.header.sequence == nil)
        return message.content
    }

    @Test(
        "Each word of each preset is read",
        arguments: [
            ("owntracks/anna/phone", #"{"_type":"lwt","tst":1763749000}"#, DeviceStatus.State.offline),
            ("owntracks/anna/phone", #"{"_type":"location","lat":1,"lon":2}"#, .online),
            ("owntracks/anna/phone", #"{"_type":"steps","steps":-1}"#, .online),
            ("homie/5/scale/$state", "ready", .online), ("homie/5/scale/$state", "disconnected", .offline),
            ("homie/5/scale/$state", "sleeping", .offline), ("homie/5/scale/$state", "lost", .offline),
            ("buoy-1/status", "online", .online), ("buoy-1/status", " offline\n", .offline),
            ("ble/presence/c0:52:3f:50:42:c9", "1", .online), ("/ble/presence/c0:52:3f:50:42:c9", "0", .offline),
            ("zigbee2mqtt/tap/availability", #"{"state":"online"}"#, .online),
            ("zigbee2mqtt/tap/availability", #"{"state":"gone"}"#, .offline),
            ("lamp/here", "1", .online), ("lamp/here", "whatever", .offline),
        ])
    func words(topic: String, payload: String, state: DeviceStatus.State) throws {
        #expect(try content(topic, payload) == .presence(state))
    }

    @Test("An ignored word gives no content, an unknown one is rejected with the words that are known")
    func otherWords() throws {
        #expect(try content("homie/5/scale/$state", "init") == .frames([]))
        let rejection = ProducerDecoding.rejection("buoy-1/status", "maybe", producers)
        #expect(rejection?.reason == .invalidValue)
        #expect(rejection?.detail == #"found "maybe"; online is "online", offline is "offline""#)
    }

    @Test(
        "Payloads that hold no word are rejected",
        arguments: [
            ("owntracks/anna/phone", "{}", RejectionReason.missingField), ("owntracks/anna/phone", "[]", .missingField),
            ("owntracks/anna/phone", #"{"_type":[]}"#, .wrongType), ("owntracks/anna/phone", "lwt", .malformedJSON),
            ("owntracks/anna/phone", #"{"_type":"\#(String(repeating: "x", count: 65))"}"#, .invalidValue),
            ("owntracks/anna/phone", #"{"_type":"a\u0000"}"#, .invalidValue),
            ("owntracks/anna/phone", #"{"_type":"a","_type":"lwt"}"#, .duplicateKey),
            ("buoy-1/status", "", .emptyPayload), ("buoy-1/status", String(repeating: "online", count: 20), .invalidValue),
        ])
    func faults(topic: String, payload: String, reason: RejectionReason) {
        #expect(ProducerDecoding.rejection(topic, payload, producers)?.reason == reason)
    }

    @Test("Bluetooth addresses become ids, other ids must be ids")
    func identifiers() throws {
        var harness = PipelineHarness(producers: producers)
        let near = harness.send(mapped("/ble/presence/c0:52:3f:50:42:c9", "1", at: 1_763_749_000))
        #expect(near.map(\.topic) == ["wearables/c0523f5042c9/out/connection/device"])
        for topic in ["ble/presence/::", "homie/5/a b/$state", "owntracks/anna/pho+ne"] {
            let messages = harness.send(mapped(topic, "1", at: 1_763_749_010))
            #expect(!messages.contains { $0.topic.hasPrefix("wearables/") })
        }
        #expect(harness.admission.rejected[.invalidTopic] == 3)
    }

    @Test("A report of presence is explained")
    func explained() {
        let settings = PipelineSettings.with { $0.producers = producers }
        let explanation = Explanation(
            InboundMessage(topic: "buoy-1/status", payload: Array("online".utf8), retain: true), settings: settings,
            policy: AccessPolicy(unknown: .everything), at: GatewayTime(unix: UnixTime(1_763_749_000), monotonic: 0))
        let text = explanation.lines.joined(separator: "\n")
        #expect(explanation.isAccepted)
        #expect(text.contains("a report that the device is online"))
        #expect(text.contains("buoy-1/out/connection/device"))
    }

    @Test("The subscriptions are on the lane of the status")
    func subscriptions() {
        #expect(producers.subscriptions.allSatisfy { $0.stream == .status })
        #expect(
            producers.subscriptions.map(\.filter) == [
                "owntracks/+/+", "homie/5/+/$state", "+/status", "ble/presence/+", "/ble/presence/+",
                "zigbee2mqtt/+/availability", "lamp/here",
            ])
    }

    static let problems: [(table: String, part: String)] = [
        ("preset: homie", "presence needs a name"),
        ("name: a", "presence needs a topic, or a preset: owntracks, homie, esphome or espruinohub"),
        ("name: a, preset: matter", "presence.preset is \"matter\", expected owntracks, homie, esphome or espruinohub"),
        ("name: a, topic: 'a/{device}', offline: b", "presence needs a word for online"),
        ("name: a, topic: 'a/{device}', online: b", "presence needs a word for offline"),
        ("name: a, topic: 'a/{device}', online: b, offline: [c, b]", "uses the word \"b\" twice"),
        ("name: a, topic: a/b, online: b, offline: c", "presence.topic has no level {device}"),
        ("name: a, topic: 'a/{device}', device: d, online: b, offline: c", "presence.device is given"),
        ("name: a, topic: a/b, device: d, devices: [e], online: b, offline: c", "presence.devices is given, and device too"),
        ("name: a, topic: 'a/{device}', devices: [e], online: b, offline: c", "presence.devices is given, and the topic has"),
        ("name: a, topic: a/b, devices: [], online: b, offline: c", "presence.devices must be device ids"),
        ("name: a, topic: a/b, devices: ['d*d'], online: b, offline: c", "presence.devices must be device ids"),
        ("name: a, topic: a/b, device: 'd:d', online: b, offline: c", "presence.device must be 1 to 64"),
        ("name: a, topic: 'a//{device}', online: b, offline: c", "presence.topic has an empty level"),
        ("name: a, topic: [], online: b, offline: c", "presence.topic is an empty list"),
        ("name: a, preset: homie, pointer: x", "presence.pointer must be a JSON pointer"),
        ("name: a, preset: homie, strip: maybe", "presence.strip is \"maybe\", expected true or false"),
        ("name: a, preset: homie, colour: red", "presence.colour is not a key here"),
        ("name: a, topic: 'a/{device}', online: {b: c}, offline: c", "presence.online must be a text or a list of texts"),
    ]

    @Test("An invalid rule is reported by its key path", arguments: problems.indices)
    func problem(index: Int) throws {
        let (table, part) = Self.problems[index]
        let problems = try ProducersText.problems("presence: {\(table)}")
        #expect(problems.contains { $0.contains(part) }, "\(problems)")
    }

    @Test("Two rules cannot have one name")
    func twice() throws {
        let problems = try ProducersText.problems("presence: [{name: a, preset: homie}, {name: a, preset: esphome}]")
        #expect(problems == ["presence[1] has the name of another rule, 'a'"])
    }
}

/// A good message of each preset, small enough to be cut at every byte.
enum PresenceSamples {
    static let all: [(topic: String, payload: String)] = [
        ("owntracks/anna/phone", #"{"_type":"lwt","tst":1763749000}"#), ("homie/5/scale/$state", "ready"),
        ("buoy-1/status", "online"), ("ble/presence/c0:52:3f:50:42:c9", "1"),
    ]
}
