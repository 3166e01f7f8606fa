import Foundation
import LocalBroker
import Testing

@Suite("What commands say of wrong inputs: place and remedy", .serialized)
struct MessageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> FathomProcess.Outcome {
        try await FathomProcess.run(arguments, environment: environment)
    }

    @Test("FATHOM_CONFIG names the configuration; --config counts before it, and an empty one is none")
    func variable() async throws {
        let first = try directory.write("registry: { file: first.yaml }\n", to: "a.yaml")
        let second = try directory.write("registry: { file: second.yaml }\n", to: "b.yaml")
        try directory.write("devices: { one: {} }\n", to: "first.yaml")
        try directory.write("devices: { two: {} }\n", to: "second.yaml")
        #expect(try await run("device", "list", environment: ["FATHOM_CONFIG": first]).output.hasPrefix("one  "))
        #expect(
            try await run("device", "list", "--config", second, environment: ["FATHOM_CONFIG": first]).output.hasPrefix("two  "))
        #expect(try await run("check", environment: ["FATHOM_CONFIG": first]).output.contains("1 devices registered"))
        let none = try await run("device", "list")
        #expect(none.status == 1 && none.errors.contains("looked for --config FILE, FATHOM_CONFIG and /etc/fathom/fathom.yaml"))
    }

    @Test("run without a configuration says which it looked for, and with one which it reads")
    func noFile() async throws {
        // The last of the lines before the gateway runs: a signal right after the first one would end it before the others.
        let last = "no device is registered"
        let gateway = try FathomProcess(["run", "--set", "mqtt.port=1"])
        try await eventually("it has started") { gateway.errors.contains(last) }
        let errors = try await gateway.terminate().errors
        #expect(errors.contains("no configuration file") && errors.contains("/etc/fathom/fathom.yaml"), "\(errors)")
        let file = try directory.write("mqtt: { port: 1 }\n", to: "a.yaml")
        let configured = try FathomProcess(["run"], environment: ["FATHOM_CONFIG": file])
        try await eventually("it has started") { configured.errors.contains(last) }
        let lines = try await configured.terminate().errors
        #expect(lines.contains("configuration=\(file)") && !lines.contains("no configuration file"), "\(lines)")
    }

    @Test(
        "check: a password file that is missing is a problem with its line, also of the page; one in a folder that is not here is a note"
    )
    func passwordFiles() async throws {
        let file = try directory.write(
            """
            mqtt:
              out: { username: a, passwordFile: missing-out }
              claim: { username: b, passwordFile: /nowhere/at/all }
            page:
              account: { username: c, passwordFile: missing-page }
            """, to: "a.yaml")
        let outcome = try await run("check", "--config", file)
        #expect(outcome.status == 1 && outcome.output.contains("2 problems"), "\(outcome.output)")
        #expect(outcome.output.contains("\(file):2: mqtt.out.passwordFile: names") && outcome.output.contains("missing-out"))
        #expect(
            outcome.output.contains("\(file):5: page.account.passwordFile: names") && outcome.output.contains("does not exist"))
        #expect(outcome.output.contains("note: \(file):3: mqtt.claim.passwordFile"))
        #expect(outcome.output.contains("the password of the account in one line"))
        // A file that can be read and holds no password is wrong for every user.
        for (name, text) in [("two", "a\nb\n"), ("empty", ""), ("folder", nil)] {
            let wrong = directory.path(name)
            if let text {
                try text.write(toFile: wrong, atomically: false, encoding: .utf8)
            } else {
                try FileManager.default.createDirectory(atPath: wrong, withIntermediateDirectories: false)
            }
            let outcome = try await run("check", "--set", "mqtt.out.passwordFile=\(wrong)")
            #expect(outcome.status == 1 && outcome.output.hasPrefix("--set: mqtt.out.passwordFile: "), "\(outcome.output)")
        }
        // The gateway itself does not need that of the page.
        try "secret\n".write(toFile: directory.path("missing-out"), atomically: false, encoding: .utf8)
        let run = try FathomProcess([
            "run", "--config", file, "--set", "mqtt.claim.passwordFile=\(directory.path("missing-out"))",
        ])
        try await eventually("it starts") { run.errors.contains("fathom starts") }
        _ = try await run.terminate()
    }

    @Test("check: a mapping on a topic that the ACL lets no lane read is a problem, with the line to add")
    func mapping() async throws {
        try await SetUp.with { setUp in
            let producers = """
                mappings:
                  - name: pool
                    topic: pool/{device}/raw
                    stream: submersion
                    layout: flat
                    fields: { depth: { pointer: /d, unit: m } }
                """
            try producers.write(toFile: setUp.path("producers.yaml"), atomically: false, encoding: .utf8)
            let wrong = try await run("check", "--config", setUp.path("fathom.yaml"))
            #expect(wrong.status == 1, "\(wrong.output)")
            #expect(
                wrong.output.contains("pool/+/raw") && wrong.output.contains(#""topic read pool/+/raw" below "user gateway-in""#))
            let connected = try await setUp.check()
            #expect(connected.status == 1 && connected.output.contains("pool/+/raw"), "\(connected.output)")
            let acl = try String(contentsOfFile: setUp.path("acl"), encoding: .utf8)
            try acl.replacing("user gateway-in\n", with: "user gateway-in\ntopic read pool/+/raw\n")
                .write(toFile: setUp.path("acl"), atomically: false, encoding: .utf8)
            let right = try await run("check", "--config", setUp.path("fathom.yaml"))
            #expect(right.status == 0, "\(right.output)")
        }
    }

    @Test("A request with a field that its query does not know is answered with the nearest one")
    func unknownField() async throws {
        try await SetUp.with { setUp in
            let configuration = ["--config", setUp.path("fathom.yaml")]
            _ = try await FathomProcess.run(["device", "add", "ultra-1"] + configuration)
            let none = try await FathomProcess.run(["request", "ultra-1", "latest", "--timeout", "0.3"] + configuration)
            #expect(none.status == 1 && none.errors.contains("no reply within 0.3 s"), "\(none.errors)")
            #expect(none.errors.contains("gateway.name"))
            let gateway = try FathomProcess(["run"] + configuration)
            #expect(try await setUp.waitForStatus("\"online\""))
            try await eventually("it answers") {
                try await FathomProcess.run(["request", "ultra-1", "latest"] + configuration).status == 0
            }
            let outcome = try await FathomProcess.run(["request", "ultra-1", "latest", #"{"kind":["dive"]}"#] + configuration)
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains(#"unknownField: /kind: latest has no field "kind", did you mean "kinds"?"#),
                "\(outcome.errors)")
            for (arguments, words) in [
                (["ultra-1", "latests"], "expected one of latest, events"), (["ultra 1", "latest"], "no device id"),
                (["ultra-1", "latest", "[]"], "no JSON object"),
            ] {
                let wrong = try await FathomProcess.run(["request"] + arguments + configuration)
                #expect(wrong.status != 0 && wrong.errors.contains(words), "\(wrong.errors)")
            }
            _ = try await gateway.terminate()
        }
    }

    @Test("export of a recording of frames says so once")
    func frames() async throws {
        let recording = directory.path("fleet.ndjson")
        _ = try await run("simulate", "--count", "2", "--seconds", "20", "--start", "1763749000", "--record", recording)
        let outcome = try await run("export", "--format", "lineProtocol", recording)
        #expect(outcome.status == 1)
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("fathom replay \(recording)") && outcome.errors.contains(" more lines: frames of devices"))
    }

    @Test("Two programs with one account: each names the cause")
    func oneAccount() async throws {
        try await SetUp.with { setUp in
            func page() throws -> FathomProcess {
                try FathomProcess(["page", "--config", setUp.path("fathom.yaml"), "--set", "page.port=0"])
            }
            let first = try page()
            try await eventually("the first is connected") { setUp.brokerLog.contains("as page") }
            let second = try page()
            try await eventually("the cause is named") {
                (first.errors + second.errors).contains("another client uses this client id, which may be the account")
            }
            _ = try await first.terminate()
            _ = try await second.terminate()
        }
    }

    @Test("device: wrong values are named with what there is, and show and edit say what holds")
    func device() async throws {
        let file = try directory.write("registry: { file: r.yaml }\n", to: "a.yaml")
        try directory.write("defaults: { wrist: left }\ndevices:\n  ultra-1: {}\n", to: "r.yaml")
        let cases = [
            (["add", "x", "--entitlement", "shalow"], "did you mean shallow?"),
            (["add", "x", "--entitlement", "shallow,full"], "two depths"),
            (["add", "x", "--consent", "sleeping"], "there are tremor, sleep"),
            (["add", "x", "--time-zone", "Berlin"], "no time zone"), (["add", "ultra-1"], "fathom device edit"),
            (["edit", "ultra-1"], "nothing is to be changed"), (["edit", "ultra-2", "--wrist", "left"], "did you mean ultra-1?"),
            (["edit", "ultra-1", "--unset", "wrists"], "did you mean wrist?"), (["show", "ultra-9"], "did you mean ultra-1?"),
            (["edit", "ultra-1", "--wrist", "left", "--unset", "wrist"], "set and removed"),
        ]
        for (arguments, words) in cases {
            let outcome = try await FathomProcess.run(["device"] + arguments + ["--config", file])
            #expect(outcome.status != 0 && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
        }
        let added = try await run(
            "device", "add", "x", "--entitlement", "full,movementDisorder", "--consent", "sleep,tremor", "--time-zone",
            "Europe/Berlin",
            "--config", file)
        #expect(added.status == 0, "\(added.errors)")
        let edited = try await run(
            "device", "edit", "x", "--entitlement", "shallow", "--unset", "consent", "--revoked", "--config", file)
        #expect(edited.status == 0, "\(edited.errors)")
        for line in [
            "entitlement: shallow", "consent: nothing", "timeZone: Europe/Berlin", "revoked: true", "wrist: left (default)",
            "session: required", "available: as its status says",
        ] {
            #expect(edited.output.contains("\(line)\n"), "\(edited.output)")
        }
        #expect(try await run("device", "show", "x", "--config", file).output == edited.output)
        let other = try await run("device", "edit", "x", "--entitlement", "movementDisorder", "--config", file)
        #expect(other.output.contains("entitlement: shallow, movementDisorder\n"), "\(other)")
        _ = try await run("device", "edit", "x", "--entitlement", "shallow", "--config", file)
        let text = try String(contentsOfFile: directory.path("r.yaml"), encoding: .utf8)
        #expect(text.contains("x: { entitlement: shallow, timeZone: Europe/Berlin, revoked: true }"), "\(text)")
    }

    @Test("A tool that fails and prints nothing is named with its exit status")
    func silentTool() async throws {
        let tool = try directory.write("#!/bin/sh\nexit 3\n", to: "mosquitto_passwd")
        chmod(tool, 0o755)
        let path = "\(directory.path("")):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let (port, tlsPort) = (try LoopbackPort.free(), try LoopbackPort.free())
        let outcome = try await run(
            "init", directory.path("new"), "--port", "\(port)", "--tls-port", "\(tlsPort)", environment: ["PATH": path])
        #expect(outcome.status == 1 && outcome.errors.contains("mosquitto_passwd failed: exit status 3"), "\(outcome)")
    }

    @Test("A list of entitlements with one that is none names those there are")
    func entitlements() async throws {
        let file = try directory.write("registry: { file: r.yaml }\n", to: "a.yaml")
        try directory.write("devices:\n  a: { entitlement: [deep] }\n", to: "r.yaml")
        let outcome = try await run("check", "--config", file)
        #expect(
            outcome.status == 1 && outcome.output.contains("there are none, shallow, full, movementDisorder"), "\(outcome.output)"
        )
    }
}
