import Foundation
import GatewayTestSupport
import LocalBroker
import Testing

@Suite("The demo")
struct DemoTests {
    @Test("the demo prints plain lines, ends by itself and leaves nothing running; no argument of a program is a password")
    func ended() async throws {
        let directory = try TemporaryDirectory()
        let script = "#!/bin/sh\necho \"$@\" >> \(directory.path("arguments"))\nexec /usr/bin/mosquitto_passwd \"$@\"\n"
        let tool = try directory.write(script, to: "mosquitto_passwd")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool)
        let outcome = try await FathomProcess.run(
            ["demo", "--seconds", "12", "--rules", Project.path("config")],
            environment: ["PATH": "\(directory.url.path):/usr/bin:/bin"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let arguments = try String(contentsOfFile: directory.path("arguments"), encoding: .utf8)
        #expect(arguments.wholeMatch(of: /-U \S+\n/) != nil, "\(arguments)")
        for part in [
            "gateway online", "hit", "hands over", "not entitled (110)", "approaching max depth", "derived messages",
            "The fleet page is at http://127.0.0.1:", "Metrics and health are at http://127.0.0.1:", "Next:",
        ] {
            #expect(outcome.output.contains(part), "no '\(part)' in\n\(outcome.output)")
        }
        #expect(!outcome.output.contains("\u{1B}"))
    }

    @Test("two demos run at once, a request as the demo prints it is answered, and Ctrl-C ends a demo in order")
    func interrupted() async throws {
        let demo = try FathomProcess(["demo", "--seconds", "600"])
        let other = try FathomProcess(["demo", "--seconds", "600"])
        try await eventually("the demos run") {
            demo.output.contains("in the ears") && other.output.contains("in the ears")
        }
        let lines = demo.output.split(separator: "\n").drop { !$0.contains("mosquitto_rr") }.prefix(2)
        let reply = try Tool("sh", ["-c", lines.joined(separator: "\n") + " -W 10"]).outcome()
        #expect(reply.output.contains(#""device":"ultra-1","messages":["#), "\(lines): \(reply.output)")
        let metrics = try #require(demo.output.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/metrics/).flatMap { UInt16($0.1) })
        #expect(await LoopbackHTTP.get("/metrics", metrics).body.contains("fathom_build_info"))
        other.interrupt()
        #expect(try await other.outcome().status == 0)
        demo.interrupt()
        let outcome = try await demo.outcome()
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("derived messages"))
    }

    @Test("Ctrl-C while the demo starts its broker leaves no files")
    func interruptedAtStart() async throws {
        let directory = try TemporaryDirectory()
        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.url.path) }
        let demo = try FathomProcess(["demo", "--seconds", "600"], environment: ["TMPDIR": directory.url.path])
        try await eventually("the demo has begun") { try !files().isEmpty }
        demo.interrupt()
        let outcome = try await demo.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files().isEmpty)
    }
}
