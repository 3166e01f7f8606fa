import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import TelemetryModel
import Testing

@Suite("Recordings")
struct RecordingTests {
    @Test(
        "a line is read as it was written",
        arguments: [
            #"{"a":1}"#, #"{"a":[1,{"b":"}\"]"}],"c":"x,y"}"#, "", "no json", "{\n}", #"{"a":1,"a":2}"#,
            "{\"\u{e9}\":\"\u{1F600}\"}",
        ])
    func roundTrip(payload: String) throws {
        let message = RecordedMessage(
            at: 1_763_749_000.31,
            message: InboundMessage(
                topic: "wearables/d1/in/status", payload: Array(payload.utf8), retain: true, contentType: "application/json"))
        #expect(try RecordedMessage(line: message.line[...]) == message)
    }

    @Test("a payload is taken byte for byte, with what a parser would change")
    func bytesAreKept() throws {
        let line = Array(#"{"topic": "t/d/in/x", "payload": {"a" : 1e999, "a":01}, "at": 5}"#.utf8)
        let message = try RecordedMessage(line: line[...])
        #expect(message.message.payload == Array(#"{"a" : 1e999, "a":01}"#.utf8))
        #expect(message.at == 5)
        #expect(!message.message.retain)
    }

    @Test("keys and texts may be escaped, and the last of equal keys counts")
    func escapes() throws {
        let line = Array(#"{"\u0061t":5,"topic":"t\/\"\u0064","payload":1,"payload" : {"x":"\x"} ,"other":[{"at":7}]}"#.utf8)
        let message = try RecordedMessage(line: line[...])
        #expect(message.at == 5)
        #expect(message.message.topic == "t/\"d")
        #expect(message.message.payload == Array(#"{"x":"\x"}"#.utf8))
    }

    @Test("a splitter that was used before finds the same")
    func reuse() throws {
        let splitter = JSONSplitter()
        for length in [0, 1, 63, 64, 65, 5000, 100_000, 10] {
            let line = Array(#"{"topic":"t","payload":{"x":"\#(String(repeating: "y", count: length))"},"at":1}"#.utf8)
            #expect(try RecordedMessage(line: line[...], splitter: splitter) == RecordedMessage(line: line[...]))
            #expect(throws: GatewayError.self) { try RecordedMessage(line: line.dropLast(), splitter: splitter) }
        }
    }

    @Test("a line with a time out of range is refused with its place, and the others are replayed")
    func farAway() throws {
        var device = TestDevice()
        let line = String(decoding: device.depth(3, uptime: 100).line, as: UTF8.self)
        let directory = try TemporaryDirectory()
        let far = line.replacing("\"at\":1763744100.05", with: "\"at\":1e300")
        let file = try directory.write("\(line)\n\(far)\n", to: "recording")
        var kinds: [String] = []
        var problems: [String] = []
        let replay = Replay(settings: PipelineHarness.settings, policy: AccessPolicy(unknown: .everything)) { line in
            guard let message = try? RecordedMessage(line: line[...]) else { return }
            kinds.append(DerivedJSON(topic: message.message.topic, payload: message.message.payload, retain: false).kind)
        }
        try replay.run([file]) { problems.append($0) }
        #expect(kinds.contains("depth-state"))
        #expect(problems.count == 1)
        #expect(problems.first?.contains("recording:2: 'at' is 1e+300") == true)
    }

    @Test(
        "the error of an invalid line describes the fault",
        arguments: [
            ("", "no JSON object"), ("[]", "no JSON object"), (#"{"at":1"#, "no JSON object"),
            (#"{"topic":"t","payload":{}}"#, "'at'"), (#"{"at":"x","topic":"t","payload":{}}"#, "'at'"),
            (#"{"at":1,"payload":{}}"#, "'topic'"), (#"{"at":1,"topic":"t"}"#, "payload"),
            (#"{"at":1,"topic":"t","payloadBase64":"%%%="}"#, "base64"),
            (#"{"at":1,"topic":"t","retain":1,"payload":{}}"#, "'retain'"),
            (#"{"at":1e18,"topic":"t","payload":{}}"#, "between 1970 and 2100"),
            (#"{"at":-1,"topic":"t","payload":{}}"#, "between 1970 and 2100"),
            (#"{"at":1763749000310,"topic":"t","payload":{}}"#, "between 1970 and 2100"),
            (#"{"at":"1","topic":"t","payload":{}}"#, "'at'"), (#"{"at":1,"topic":"t","payload":{}} x"#, "no JSON object"),
        ])
    func badLines(line: String, complaint: String) {
        #expect {
            try RecordedMessage(line: Array(line.utf8)[...])
        } throws: { error in
            "\(error)".contains(complaint)
        }
    }

    @Test("any bytes are read or refused, never a crash", arguments: 0..<50 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array(#"{}[]",:\ a1"#.utf8)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            _ = try? RecordedMessage(line: bytes[...])
        }
    }

    @Test("base64 follows RFC 4648", arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")])
    func base64(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test("several recordings are merged by time, invalid lines are reported, and waits end with the input")
    func replay() throws {
        var first = TestDevice("one")
        var second = TestDevice("two")
        let directory = try TemporaryDirectory()
        func write(_ messages: [RecordedMessage], to name: String, extra: String = "") throws -> String {
            try directory.write(
                extra + messages.map { String(decoding: $0.line, as: UTF8.self) + "\n" }.joined(), to: name)
        }
        let one = try write([first.depth(0.5, uptime: 100), first.depth(3, uptime: 102, seq: 2)], to: "one", extra: "bad\n\n")
        let two = try write([second.depth(0.5, uptime: 101), second.depth(5, uptime: 102.9)], to: "two")

        var lines: [RecordedMessage] = []
        var problems: [String] = []
        let replay = Replay(settings: PipelineHarness.settings, policy: AccessPolicy(unknown: .everything)) { line in
            if let message = try? RecordedMessage(line: line[...]) { lines.append(message) }
        }
        try replay.run([one, two]) { problems.append($0) }
        #expect(problems.count == 1)
        #expect(problems.first?.contains("one:1:") == true)
        let states = lines.map { DerivedJSON(topic: $0.message.topic, payload: $0.message.payload, retain: $0.message.retain) }
            .filter { $0.kind == "depth-state" || $0.kind == "gap" }
        #expect(states.map { $0.text("device") } == ["one", "two", "two", "one", "one"])
        #expect(states.map(\.kind) == ["depth-state", "depth-state", "depth-state", "gap", "depth-state"])
    }

    @Test("time advances after the input only when requested")
    func idle() throws {
        var device = TestDevice()
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            String(decoding: device.depth(3, uptime: 100).line, as: UTF8.self) + "\n", to: "recording")
        func causes(idle: Double) throws -> [String] {
            var causes: [String] = []
            let replay = Replay(settings: PipelineHarness.settings, policy: AccessPolicy(unknown: .everything)) { line in
                guard let message = try? RecordedMessage(line: line[...]) else { return }
                let derived = DerivedJSON(topic: message.message.topic, payload: message.message.payload, retain: false)
                if derived.kind == "depth-state" { causes.append(derived.text("cause") ?? "") }
            }
            try replay.run([file], idleSeconds: idle) { _ in }
            return causes
        }
        #expect(try causes(idle: 0) == ["sample"])
        #expect(try causes(idle: 6) == ["sample", "silence"])
    }
}
