import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Foreign text is split and compared by its bytes")
struct ByteTests {
    /// A combining mark: with it a delimiter in front is one `Character`.
    private let mark = "\u{301}"

    @Test("a topic has the levels that it has for a broker, and two spellings of a letter are two levels")
    func filters() {
        let named = TopicFilter("home/{name}/state")
        #expect(named.values(in: "home/\(mark)b/state")?["name"].map(String.init) == "\(mark)b")
        #expect(TopicFilter("home/{\(mark)name}").filter == "home/+")
        #expect(!TopicFilter("home/+").matches("home/a/\(mark)b"))
        #expect(TopicFilter("home/+/+").matches("home/a/\(mark)b"))
        for (left, right) in [("K/x", "\u{212A}/x"), ("é/x", "e\u{301}/x")] {
            #expect(!TopicFilter(left).matches(right))
            #expect(!TopicFilter(left).overlaps(TopicFilter(right)))
            #expect(TopicFilter(left).matches(left))
        }
        for fault in ["a/#\(mark)", "a/+\(mark)", "a/{x}\(mark)", "a/\(mark){x}"] { #expect(TopicFilter(fault).fault != nil) }
    }

    @Test("a JSON pointer finds a key that begins with a mark, or has one behind an escape")
    func pointers() throws {
        let parser = JSONParser()
        let root = try parser.parse(Array(#"{"a":{"\#(mark)b":1,"/\#(mark)":2,"~\#(mark)":3}}"#.utf8), maximumNesting: 4)
        for (text, value) in [("/a/\(mark)b", 1), ("/a/~1\(mark)", 2), ("/a/~0\(mark)", 3)] {
            let pointer = try #require(JSONPointer(text))
            #expect(try pointer.find(in: root)?.integer() == value, "\(text)")
        }
    }

    @Test("a limit of characters holds for a text that is one Character")
    func lengths() {
        let long = "a" + String(repeating: mark, count: 30_000)
        var names = NameCounts()
        names.add(1, of: long)
        #expect(names.counts.keys.allSatisfy { $0.utf8.count < 100 })
        let encoder = OutboundEncoder(PipelineHarness.settings)
        let rejection = Rejection(.invalidTopic, "no stream")
        let message = encoder.encode(
            rejection, topic: long, gateway: PipelineHarness.settings.gateway, count: 1, received: UnixTime(1_763_749_000))
        #expect(message.payload.count < 1_000)
    }

    @Test("a line of JSON for a terminal is the same JSON, and holds nothing that a terminal acts on")
    func printableJSON() throws {
        let line = Array("{\"t\":\"a\u{9B}2J\u{202E}\u{7F}é\u{E000}\u{10FFFF}\u{E0001}\"}".utf8)
        let printable = String(decoding: line.printableJSON, as: UTF8.self)
        #expect(printable == #"{"t":"a\u009b2J\u202e\u007fé\ue000\udbff\udfff\udb40\udc01"}"#)
        let plain = Array(#"{"t":"é\\u001b"}"#.utf8)
        #expect(plain.printableJSON == plain)
    }
}
