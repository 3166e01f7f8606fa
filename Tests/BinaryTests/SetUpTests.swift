import Foundation
import LocalBroker
import Testing

@Suite("From nothing to a depth state", .serialized)
struct SetUpTests {
    @Test("init, broker, check --connect, run, device add, a frame over TLS: a depth state")
    func wholeWay() async throws {
        try await SetUp.with { setUp in
            let checked = try await setUp.check()
            #expect(checked.status == 0, "\(checked.output)")
            #expect(!checked.output.contains("problem:") && !checked.output.contains("note:"), "\(checked.output)")
            #expect(checked.output.contains("ok: lanes.bulk: frames are delivered"))

            let gateway = try FathomProcess(["run", "--config", setUp.path("fathom.yaml")])
            #expect(try await setUp.waitForStatus("\"online\""))
            let busy = try await setUp.check()
            #expect(busy.status == 1 && busy.output.contains("gateway.stateDirectory: ") && busy.output.contains("is in use"))

            let added = try await FathomProcess.run(
                ["device", "add", "ultra-1", "--entitlement", "shallow", "--config", setUp.path("fathom.yaml")])
            #expect(added.status == 0, "\(added.errors)")
            #expect(added.output.contains("The broker has read its accounts again."))
            let listed = try await FathomProcess.run(["device", "list", "--config", setUp.path("fathom.yaml")])
            #expect(listed.output == "ultra-1  entitlement shallow  streams: all that it has\n")

            let viewer = try setUp.subscribe(as: "viewer", to: "wearables/ultra-1/out/depth-state")
            try await eventually("the registry is in force and the frame derived") {
                try setUp.publishOverTLS(as: "ultra-1", depth: 3)
                return viewer.output.contains("\"state\":\"submergedDeep\"")
            }
            let ended = try await gateway.terminate()
            #expect(ended.status == 0)
            #expect(ended.errors.contains("no device is registered"))
        }
    }

    @Test("The printed commands publish a dive, and can be run again")
    func firstFrames() async throws {
        try await SetUp.with { setUp in
            let added = try await FathomProcess.run(
                ["device", "add", "ultra-1", "--entitlement", "full", "--config", setUp.path("fathom.yaml")])
            let start = try #require(added.output.range(of: "\nboot="))
            let script = added.output[start.lowerBound...].replacing("sleep 1", with: "sleep 0.4")
            let gateway = try FathomProcess(["run", "--config", setUp.path("fathom.yaml")])
            #expect(try await setUp.waitForStatus("\"online\""))
            let viewer = try setUp.subscribe(as: "viewer", to: "wearables/ultra-1/out/#")
            for run in 1...2 {
                let shell = try Tool("sh", ["-ec", String(script)])
                let outcome = shell.outcome()
                #expect(outcome.status == 0, "\(outcome.output)")
                try await eventually("run \(run) is derived") {
                    viewer.output.split(separator: "\n").count {
                        $0.contains("out/depth-state") && $0.contains("\"submergedShallow\"")
                    } >= run
                }
            }
            #expect(!viewer.output.contains("out/rejected"), "\(viewer.output)")
            _ = try await gateway.terminate()
        }
    }

    @Test("The printed commands use TLS where the configuration does")
    func firstFramesOverTLS() async throws {
        try await SetUp.with { setUp in
            let plain = "host: 127.0.0.1\n  port: \(setUp.port)\n"
            let encrypted = "host: localhost\n  port: \(setUp.tlsPort)\n  tls: { enabled: true, caFile: certs/ca.crt }\n"
            let text = try String(contentsOfFile: setUp.path("fathom.yaml"), encoding: .utf8)
            try #require(text.contains(plain))
            try text.replacing(plain, with: encrypted)
                .write(toFile: setUp.path("fathom.yaml"), atomically: false, encoding: .utf8)
            let added = try await FathomProcess.run(["device", "add", "ultra-1", "--config", setUp.path("fathom.yaml")])
            let start = try #require(added.output.range(of: "\nboot="), "\(added.errors)")
            try await eventually("the broker has the account and takes the frame") {
                try Tool("sh", ["-ec", String(added.output[start.lowerBound...])]).outcome().status == 0
            }
        }
    }

    @Test("No account can use the client id of another, on either listener")
    func identity() async throws {
        try await SetUp.with { setUp in
            for listener in [["-p", "\(setUp.port)"], ["-p", "\(setUp.tlsPort)", "--cafile", setUp.path("certs/ca.crt")]] {
                let outcome = try Tool(
                    "mosquitto_pub",
                    listener + ["-h", "127.0.0.1", "-u", "viewer", "-P", setUp.password(of: "viewer"), "-i", "gateway-in"]
                        + ["-t", "x", "-n"]
                ).outcome()
                #expect(outcome.status == 0, "\(outcome.output)")
            }
            #expect(!setUp.brokerLog.contains("as gateway-in"))
            #expect(setUp.brokerLog.components(separatedBy: "as viewer").count == 3)
        }
    }

    @Test("init overwrites nothing, and says which port is taken")
    func refusals() async throws {
        try await SetUp.with { setUp in
            let again = try await FathomProcess.run(["init", setUp.folder, "--port", "1", "--tls-port", "2"])
            #expect(again.status == 1 && again.errors.contains("is not empty"), "\(again.errors)")
            let taken = try await FathomProcess.run(
                ["init", setUp.folder + "-2", "--port", "\(setUp.port)", "--tls-port", "2"])
            #expect(taken.status == 1 && taken.errors.contains("port \(setUp.port)"), "\(taken.errors)")
            #expect(!FileManager.default.fileExists(atPath: setUp.folder + "-2"))
            let role = try await FathomProcess.run(["device", "add", "viewer", "--config", setUp.path("fathom.yaml")])
            #expect(role.status == 1 && role.errors.contains("another role"))
            // Where it was added by hand, the account is not removed with it.
            let registry = try String(contentsOfFile: setUp.path("registry.yaml"), encoding: .utf8)
            try (registry + "  viewer: {}\n").write(toFile: setUp.path("registry.yaml"), atomically: false, encoding: .utf8)
            let before = try String(contentsOfFile: setUp.path("passwords"), encoding: .utf8)
            let removed = try await FathomProcess.run(["device", "remove", "viewer", "--config", setUp.path("fathom.yaml")])
            #expect(removed.status == 0 && removed.output.contains("another role"), "\(removed.output)\(removed.errors)")
            #expect(try String(contentsOfFile: setUp.path("registry.yaml"), encoding: .utf8) == registry)
            #expect(try String(contentsOfFile: setUp.path("passwords"), encoding: .utf8) == before)
            #expect(FileManager.default.fileExists(atPath: setUp.path("secrets/viewer")))
        }
    }

    @Test(
        "A signal leaves no half of what init and device add write, whether it comes to a program that they run or not",
        arguments: [false, true])
    func interrupted(reachesAll: Bool) async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("set-up")
        let programs = directory.path("programs")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        let last = reachesAll ? "kill -TERM $$" : #"exec /usr/bin/mosquitto_passwd "$@""#
        let tool = try directory.write("#!/bin/sh\nkill -TERM $PPID\n\(last)\n", to: "programs/mosquitto_passwd")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool)
        let environment = ["PATH": "\(programs):/usr/bin:/bin"]
        let (port, tlsPort) = (try LoopbackPort.free(), try LoopbackPort.free())
        func start(_ environment: [String: String]) async throws -> FathomProcess.Outcome {
            try await FathomProcess.run(
                ["init", folder, "--port", "\(port)", "--tls-port", "\(tlsPort)"], environment: environment)
        }
        let made = try await start(environment)
        #expect(made.status == (reachesAll ? 1 : 0), "\(made.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
                == (reachesAll ? ["programs"] : ["programs", "set-up"]))
        if reachesAll { #expect(try await start([:]).status == 0) }
        let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let added = try await FathomProcess.run(
            ["device", "add", "ultra-1", "--config", "\(folder)/fathom.yaml"], environment: environment)
        #expect(added.status == (reachesAll ? 1 : 0), "\(added.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
    }

    @Test("A device whose account could not be removed stays in the registry, and can be removed again")
    func removal() async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("set-up")
        let (port, tlsPort) = (try LoopbackPort.free(), try LoopbackPort.free())
        let made = try await FathomProcess.run(["init", folder, "--port", "\(port)", "--tls-port", "\(tlsPort)"])
        #expect(made.status == 0, "\(made.errors)")
        func device(_ arguments: String...) async throws -> FathomProcess.Outcome {
            try await FathomProcess.run(["device"] + arguments + ["--config", "\(folder)/fathom.yaml"])
        }
        #expect(try await device("add", "ultra-1").status == 0)
        let accounts = URL(filePath: "\(folder)/passwords")
        let whole = try Data(contentsOf: accounts)
        try (whole + Data([0xFF])).write(to: accounts)
        let refused = try await device("remove", "ultra-1")
        #expect(refused.status == 1 && refused.errors.contains("is not UTF-8"), "\(refused.errors)")
        #expect(try await device("list").output.hasPrefix("ultra-1 "))
        try whole.write(to: accounts)
        let removed = try await device("remove", "ultra-1")
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(try !String(contentsOf: accounts, encoding: .utf8).contains("ultra-1:"))
        #expect(try await device("list").output.isEmpty)
    }

    @Test("simulate, record and request have accounts of their own; without these they do not use the gateway's")
    func ownAccounts() async throws {
        try await SetUp.with { setUp in
            let configuration = ["--config", setUp.path("fathom.yaml")]
            let gateway = try FathomProcess(["run"] + configuration)
            #expect(try await setUp.waitForStatus("\"online\""))
            let recording = setUp.path("recording.ndjson")
            let recorder = try FathomProcess(["record", "--output", recording] + configuration)
            try await eventually("it records") { setUp.brokerLog.contains("as recorder") }
            _ = try await FathomProcess.run(["device", "add", "ultra-1", "--entitlement", "shallow"] + configuration)
            let fleet = try await FathomProcess.run(
                ["simulate", "--kinds", "diver,watch", "--count", "2", "--duration", "3"] + configuration)
            #expect(fleet.status == 0, "\(fleet.errors)")
            #expect(fleet.errors.contains("warning: 1 of 2 devices are not registered"), "\(fleet.errors)")
            #expect(fleet.errors.contains("device add watch-1"), "\(fleet.errors)")
            try await eventually("the recording has its frames") {
                ((try? String(contentsOfFile: recording, encoding: .utf8)) ?? "").contains("ultra-1/in/submersion")
            }
            _ = try await recorder.terminate()
            try await eventually("the gateway answers") {
                let reply = try await FathomProcess.run(["request", "ultra-1", "latest"] + configuration)
                return reply.status == 0 && reply.output.contains("\"kind\":\"connection/device\"")
            }
            _ = try await gateway.terminate()
            // The same without the three accounts.
            let text = try String(contentsOfFile: setUp.path("fathom.yaml"), encoding: .utf8)
            let unnamed = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
                !["simulator,", "recorder,", "analyst,"].contains { line.contains("username: \($0)") }
            }.joined(separator: "\n")
            try unnamed.write(toFile: setUp.path("unnamed.yaml"), atomically: false, encoding: .utf8)
            for command in [["simulate", "--duration", "1"], ["record"], ["request", "ultra-1", "latest"]] {
                let section = ["simulate": "simulate.account", "record": "record.account"][command[0]] ?? "requests.asker"
                let outcome = try await FathomProcess.run(command + ["--config", setUp.path("unnamed.yaml")])
                #expect(outcome.status == 1 && outcome.errors.contains(section), "\(outcome.errors)")
                #expect(outcome.errors.contains("--username"), "\(outcome.errors)")
            }
        }
    }
}
