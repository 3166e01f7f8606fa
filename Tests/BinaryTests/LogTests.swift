import Foundation
import LocalBroker
import Logging
import Synchronization
import Testing

@testable import fathom

@Suite("The log")
struct LogTests {
    @Test("A line is an object with time, level, message and metadata")
    func line() throws {
        let bytes = LineLogHandler.json(
            .warning, "say \"a\"\n", ["lane": "safety", "reason": "b\u{1B}c"], at: Date(timeIntervalSince1970: 1_763_749_000.125))
        #expect(bytes.last == UInt8(ascii: "\n") && bytes.count { $0 == UInt8(ascii: "\n") } == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(object["time"] as? String == "2025-11-21T18:16:40.125Z")
        #expect(object["level"] as? String == "warning")
        #expect(object["message"] as? String == "say \"a\"\n")
        #expect(object["metadata"] as? [String: String] == ["lane": "safety", "reason": "b\u{1B}c"])
    }

    @Test("A line of text begins with time, level and message; values that are no word are in quotes")
    func text() {
        let bytes = LineLogHandler.text(
            .warning, "disconnected", ["reason": "cannot connect: refused", "lane": "safety", "empty": "", "quote": "a\"b"],
            at: Date(timeIntervalSince1970: 1_763_749_000.125))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "2025-11-21T18:16:40.125Z warning disconnected empty=\"\" lane=safety quote=\"a\\\"b\" "
                + "reason=\"cannot connect: refused\"\n")
    }

    @Test("A gateway says when it is ready; an outage of the broker is six lines at the most, without numbers of the system")
    func outage() async throws {
        let broker = try await BrokerProcess()
        let gateway = try FathomProcess(
            ["run", "--set", "mqtt.port=\(broker.port)", "--set", "registry.unknownDevices=allow"]
                + ["--set", "mqtt.reconnect.initialSeconds=0.01", "--set", "mqtt.reconnect.maximumSeconds=0.01"])
        try await eventually("it is ready") { gateway.errors.contains(" ready: ") }
        // It connects beside that, and its line is none of the outage.
        try await eventually("requests are received") {
            gateway.errors.contains("connected mqtt.broker=127.0.0.1:\(broker.port) mqtt.client=gateway-query")
        }
        let before = gateway.errors.split(separator: "\n").count
        broker.kill()
        try await eventually("it has tried") { gateway.errors.contains("cannot connect") }
        try await broker.start()
        try await eventually("all are back") { gateway.errors.contains("connected again") }
        let lines = gateway.errors.split(separator: "\n").dropFirst(before)
        // On a slow machine a connection may also break while it is made: one line for each of these reasons.
        let reasons = ["cannot connect: The connection was lost", "did not respond in time"]
        let early = lines.filter { line in reasons.contains { line.contains($0) } }
        #expect(lines.count - early.count <= 6 && early.count <= 2, "\(lines.joined(separator: "\n"))")
        #expect(!gateway.errors.contains("errno"), "\(gateway.errors)")
        _ = try await gateway.terminate()
    }

    /// What is written to it.
    private final class Lines: Sendable {
        let text = Mutex("")

        func write(_ string: String) { text.withLock { $0 += string } }
    }

    private struct ForeignError: Error, CustomStringConvertible {
        let description: String
    }

    /// What a broker, a server or a device may write, and what it would do: clear a screen, turn text around, forge a line.
    private static let hostile = "a\u{1B}[2J\u{9B}31m\u{202E}\u{7}\n2025-11-21T18:16:40 error forged\r\u{2028}\u{7F}b"
    private static let escaped =
        #"a\u{1b}[2J\u{9b}31m\u{202e}\u{7}\u{a}2025-11-21T18:16:40 error forged\u{d}\u{2028}\u{7f}b"#

    @Test("No part of a line holds anything that a terminal acts on, or is without end")
    func printable() throws {
        let sink = Lines()
        var logger = Logger(label: "fathom") { _ in
            LineLogHandler(form: LineLogHandler.text, output: { sink.write(String(decoding: $0, as: UTF8.self)) })
        }
        let hostile = Self.hostile
        logger[metadataKey: "lane"] = "\(hostile)"
        logger.warning("\(hostile)", metadata: ["reason": "\(hostile)", "list": ["\(hostile)"], "map": ["k": "\(hostile)"]])
        logger.error("of an error", error: ForeignError(description: hostile))
        let text = sink.text.withLock { $0 }
        #expect(text.unicodeScalars.filter { $0 == "\n" }.count == 2)
        #expect(text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "\n" }, "\(text.debugDescription)")
        // The key of the logger twice, a message, a reason and an error; lists and maps write texts in quotes, with escapes of their own.
        let unquoted = text.replacing("\\\\", with: "\\")
        #expect(unquoted.split(separator: Self.escaped, omittingEmptySubsequences: false).count == 6, "\(text)")
        for long in [String(repeating: "x", count: 100_000), "x" + String(repeating: "\u{301}", count: 100_000)] {
            let before = sink.text.withLock { $0.utf8.count }
            logger.warning("\(long)", metadata: ["reason": "\(long)"])
            #expect(sink.text.withLock { $0.utf8.count } - before < 10_000)
        }
    }

    @Test("Settings, environment and options choose level and format")
    func choice() async throws {
        let gateway = try FathomProcess(
            ["run", "--set", "mqtt.port=1", "--set", "registry.unknownDevices=allow"],
            environment: ["FATHOM_LOG_LEVEL": "debug", "FATHOM_LOG_FORMAT": "json"])
        try await waitForStart(of: gateway)
        let lines = try await gateway.terminate().errors.split(separator: "\n")
        #expect(lines.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) is [String: Any] }, "\(lines)")
        #expect(lines.contains { $0.contains(#""level":"debug""#) })

        let quiet = try FathomProcess(
            ["run", "--log-level", "warning", "--set", "mqtt.port=1", "--set", "registry.unknownDevices=allow"],
            environment: ["FATHOM_LOG_LEVEL": "debug"])
        try await waitForStart(of: quiet)
        let errors = try await quiet.terminate().errors
        #expect(!errors.contains(" info ") && !errors.contains(" debug "), "\(errors)")
    }

    private func waitForStart(of gateway: FathomProcess) async throws {
        try await eventually("the gateway tries to connect") { gateway.errors.contains("disconnected") }
    }
}
