import Foundation
import GatewayTestSupport
import HTTPTestSupport
import LocalBroker
import Testing

/// Text that devices, brokers and servers choose is printed, and never as a command to the terminal.
@Suite("The whole program and an operator's terminal")
struct HostileOutputTests {
    /// Clears a screen with the sequence of one byte and that of two, turns text around, rings, and forges a line.
    private static let hostile = "a\u{1B}[2J\u{9B}2J\u{202E}\u{7}\r\nforged: line\u{7F}"

    private func json(_ text: String) -> String {
        text.utf16.map { "\\u" + String(0x1_0000 + Int($0), radix: 16).dropFirst() }.joined()
    }

    private func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "\n" }
            && !text.split(separator: "\n").contains { $0.hasPrefix("forged") }
    }

    private func expectPrintable(_ arguments: [String], input: String? = nil, _ location: SourceLocation = #_sourceLocation)
        async throws
    {
        let outcome = try await FathomProcess.run(arguments, input: input)
        #expect(!(outcome.output + outcome.errors).isEmpty, sourceLocation: location)
        #expect(isPrintable(outcome.output), "\(outcome.output.debugDescription)", sourceLocation: location)
        #expect(isPrintable(outcome.errors), "\(outcome.errors.debugDescription)", sourceLocation: location)
    }

    @Test("export, both forms, of texts and of kinds", arguments: [["lineProtocol"], ["csv", "--kind", "rejected"]])
    func export(format: [String]) async throws {
        let text = json(Self.hostile)
        let lines = [
            #"{"kind":"rejected","device":"d1","at":1,"reason":"\#(text)","detail":"\#(text)","topic":"\#(text)"}"#,
            #"{"kind":"\#(text)","device":"d1","at":1}"#, #"{"kind":"rejected","device":"\#(text)","at":1}"#,
        ].map { #"{"at":1,"topic":"t","payload":\#($0)}"# }
        try await expectPrintable(["export", "--format"] + format, input: lines.joined(separator: "\n") + "\n\(Self.hostile)\n")
    }

    @Test("replay, of topics, payloads and lines that are none")
    func replay() async throws {
        let text = json(Self.hostile)
        let lines = [
            #"{"at":1763749000,"topic":"wearables/d1/in/\#(text)","payload":{}}"#,
            #"{"at":1763749000,"topic":"\#(text)","payload":{}}"#,
            #"{"at":1763749000,"topic":"wearables/d1/in/status","retain":true,"contentType":"\#(text)","payload":{"schema":"\#(text)"}}"#,
            #"{"at":1763749000,"topic":"wearables/d1/in/workout","payload":{"\#(text)":1,"schema":"wearables/1","boot":"\#(text)"}}"#,
        ]
        try await expectPrintable(
            ["replay", "-", "--set", "gateway.reportUnknownStreams=true"],
            input: lines.joined(separator: "\n") + "\n\(Self.hostile)\n")
    }

    @Test("explain, of a topic, a content type and a payload")
    func explain() async throws {
        let frame = #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":1,"\#(json(Self.hostile))":"\#(json(Self.hostile))"}"#
        for topic in ["wearables/d1/in/submersion", "wearables/d1/in/\(Self.hostile)", Self.hostile] {
            try await expectPrintable(["explain", "--topic", topic], input: frame)
            try await expectPrintable(["explain", "--topic", topic, "--content-type", Self.hostile], input: Self.hostile)
        }
    }

    @Test("problems of a configuration, and errors that end a command")
    func problems() async throws {
        try await expectPrintable(["check", "--set", "mqtt.host=\(Self.hostile)", "--set", "\(Self.hostile)=1"])
        try await expectPrintable(["record", "--output", "/nowhere/\(Self.hostile)"])
        try await expectPrintable(["export", "--format", "lineProtocol", "/nowhere/\(Self.hostile)"])
        try await expectPrintable(["replay", "/nowhere/\(Self.hostile)"])
    }

    @Test("check --connect and run, of the names that a configuration gives", arguments: [["check", "--connect"], ["health"]])
    func connections(command: [String]) async throws {
        try await expectPrintable(command + ["--set", "mqtt.port=1", "--set", "http.port=1"])
    }
}
