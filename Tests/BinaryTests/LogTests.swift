import Foundation
import LocalBroker
import Logging
import Testing

@testable import fathom

@Suite("The log as JSON")
struct LogTests {
    @Test("A line is an object with time, level, message and metadata")
    func line() throws {
        let bytes = JSONLogHandler.line(
            .warning, "say \"a\"\n", ["lane": "safety", "reason": "b\u{1B}c"], at: Date(timeIntervalSince1970: 1_763_749_000.125))
        #expect(bytes.last == UInt8(ascii: "\n") && bytes.count { $0 == UInt8(ascii: "\n") } == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(object["time"] as? String == "2025-11-21T18:16:40.125Z")
        #expect(object["level"] as? String == "warning")
        #expect(object["message"] as? String == "say \"a\"\n")
        #expect(object["metadata"] as? [String: String] == ["lane": "safety", "reason": "b\u{1B}c"])
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
