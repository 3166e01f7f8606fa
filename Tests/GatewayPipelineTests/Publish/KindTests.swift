import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import Testing

@Suite("Kinds of derived messages")
struct KindTests {
    @Test("The contract's table is the declarations'; UPDATE_REFERENCE=1 writes it anew")
    func contract() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/wire-contract.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(page.firstRange(of: "<!-- kinds")).lowerBound
        let table = try #require(page[start...].firstIndex(of: "\n"))
        let end = try #require(page.firstRange(of: "<!-- end of kinds -->")).lowerBound
        let expected = "\n" + KindDescription.markdown
        if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] == "1" {
            try page.replacingCharacters(in: table..<end, with: expected).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(page[table..<end] == expected)
        }
    }

    @Test("Every kind has a unique name, and a summary of itself and its fields", arguments: KindDescription.all)
    func sentences(kind: KindDescription) {
        #expect(KindDescription.all.count { $0.name == kind.name } == 1)
        let names = Set(kind.fields.map(\.name))
        #expect(names.count == kind.fields.count)
        // A key cannot stand twice in an object.
        #expect(names.isDisjoint(with: Self.envelope))
        for sentence in [kind.summary] + kind.fields.map(\.summary) {
            #expect(sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(kind.name): \(sentence)")
        }
    }

    @Test("A message holds the fields of its kind, after those that all have")
    func fields() throws {
        let origin = { DeviceOrigin(device: $0, unix: 1_763_749_000, uptime: 5321.25, seed: 1, duration: 40) }
        var harness = PipelineHarness()
        let frames = Fleet([Headphones(origin("pods")), Diver(origin("ultra")), Batter(origin("batter"))])
        var messages = frames.flatMap { frame in
            harness.send(
                RecordedMessage(
                    at: frame.at + 0.05,
                    message: InboundMessage(topic: frame.topic(), payload: frame.payload, retain: frame.retain)))
        }
        var device = TestDevice()
        messages += harness.send([
            device.depth(3, uptime: 100), device.depth(4, uptime: 101, seq: 5), device.depth(4, uptime: 103),
        ])
        var seen: Set<String> = []
        for message in messages + harness.end() {
            let kind = try #require(KindDescription.all.first { $0.covers(message.kind) }, "\(message)")
            seen.insert(kind.name)
            let fields = Set(message.fields.keys).subtracting(Self.envelope)
            let always = kind.fields.filter { !$0.summary.contains("absent") }.map(\.name)
            #expect(fields.isSuperset(of: always), "\(message)")
            #expect(fields.isSubset(of: kind.fields.map(\.name)), "\(message)")
            #expect(message.retain == kind.isRetained)
        }
        #expect(seen.isSuperset(of: ["depth-state", "dive", "swing", "stroke", "head-pose", "connection/{subject}", "gap"]))
    }

    /// What every derived message may hold.
    private static let envelope: Set<String> = [
        "schema", "id", "device", "kind", "at", "deviceTime", "received", "source", "derivation", "quality", "validUntil", "skew",
    ]
}
