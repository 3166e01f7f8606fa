import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import LocalBroker
import Testing

@Suite("The command line")
struct CommandLineTests {
    @Test(
        "every command has a help text",
        arguments: [
            "init", "device", "certificates", "run", "health", "check", "replay", "import", "export", "record", "simulate",
            "explain", "deadletters", "page", "watch", "demo",
        ])
    func help(verb: String) async throws {
        let outcome = try await FathomProcess.run([verb, "--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: fathom \(verb)"))
    }

    @Test("import reads raw motion by the columns that are named, and says which are not")
    func importColumns() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("t,a,b,c,d,e,f\n0,0,0,9.80665,90,0,0\n", to: "imu.csv")
        let columns = "t=t:s,ax=-a:m/s2,ay=-b:m/s2,az=-c:m/s2,gx=d:deg/s,gy=e:deg/s,gz=f:deg/s"
        let read = try await FathomProcess.run(["import", "--format", "csv", "--device", "imu-1", "--columns", columns, file])
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.output.contains(#""topic":"wearables/imu-1/in/device-motion""#))
        #expect(read.output.contains(#""acceleration":{"x":[0],"y":[0],"z":[-1]}"#), "\(read.output)")
        let wrong: [([String], String)] = [
            (["csv"], "--format csv needs --columns"),
            (["csv", "--columns", "ax=a:rad/s"], "\"rad/s\" is no unit of ax, expected one of G, m/s2, mg"),
            (["csv", "--columns", "depth=a:m"], "with a FIELD of t, date, ax, ay, az, gx, gy, gz, mx, my, mz, qx"),
            (["sensorlog", "--columns", columns], "are for --format dive and csv"),
        ]
        // Without a format the fields that are named show it, however wrong the rest is.
        let shown = [
            (["--columns", "t=ms:ms,ax=-a:foo"], "\"foo\" is no unit of ax"), (["--columns", "depth=a:foo"], "of depth"),
        ]
        for (arguments, message) in wrong.map({ (["--format"] + $0, $1) }) + shown {
            let outcome = try await FathomProcess.run(["import"] + arguments + [file])
            #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome)")
        }
    }

    @Test("import finds the formats of files and folders, and --check says what is derived of them, and why the rest is not")
    func importCheck() async throws {
        let directory = try TemporaryDirectory()
        let rows = (0..<60).map { "\($0 * 10),\($0 == 0 || $0 == 59 ? 0 : $0 < 30 ? 4 + 2 * $0 : 62 - 2 * ($0 - 29))\n" }
        let file = try directory.write("time (s),depth (m)\n\(rows.joined())", to: "dive.csv")
        let start = ["--start", "1767261600", "--device", "ultra-1"]
        let all = try await FathomProcess.run(["import", "--check", file] + start)
        #expect(all.status == 0 && all.output.isEmpty, "\(all)")
        for part in [
            "60 samples in 60 frames of ultra-1/submersion", "2026-01-01T10:00:00Z to 2026-01-01T10:09:50Z", "deepest 62.0 m",
            "derive.depth.staleSeconds=30 in place of 5.0 bridges it", "derive.depth.sensorErrorFraction=1.55 shows them",
            "1 dive",
        ] { #expect(all.errors.contains(part), "\(part): \(all.errors)") }
        let depths = [0.8, 2, 3.5, 4.4, 3.1, 1.9, 0.5].enumerated().map { "\($0),\($1)\n" }
        let short = try directory.write("time (s),depth (m)\n\(depths.joined())", to: "short.csv")
        let ended = try await FathomProcess.run(["import", "--check", short] + start)
        #expect(ended.errors.contains("1 dive") && ended.errors.contains("--open-end leaves it out"), "\(ended.errors)")
        let open = try await FathomProcess.run(["import", "--check", short, "--open-end"] + start)
        #expect(!open.errors.contains("1 dive"), "\(open.errors)")
        let settings = ["--set", "derive.depth.staleSeconds=30", "--set", "derive.depth.sensorErrorFraction=1.6"]
        let shown = try await FathomProcess.run(["import", "--check", file] + start + settings)
        #expect(!shown.errors.contains("withheld") && !shown.errors.contains("unknown"), "\(shown.errors)")
        _ = try directory.write("defaults: { entitlement: none }\ndevices: { ultra-1: {} }\n", to: "registry.yaml")
        let config = try directory.write("registry: { file: registry.yaml }\n", to: "fathom.yaml")
        let none = try await FathomProcess.run(["import", "--check", "--config", config, file] + start)
        #expect(none.errors.contains("ultra-1/submersion is refused: notEntitled"), "\(none.errors)")
        let unknown = try await FathomProcess.run(
            ["import", "--check", "--config", config, file, "--device", "other"] + start.prefix(2))
        #expect(unknown.errors.contains("frames are rejected: unknownDevice: other is not in the registry"), "\(unknown.errors)")
        #expect(unknown.errors.contains("other/submersion: nothing is derived of it"))
        for (arguments, message) in [
            (["--zone", "CEST"], "--zone must be a name of the zone database"),
            (["--set", "a=b"], "--config and --set are for --check"),
            (["--start", "5e9"], "--start must be a unix time in seconds, between 1970 and 2100"),
            (["--interval", "1", "--columns", "time=time:s,depth=depth:m"], "--interval is for a log without times"),
            (["--surface-pressure", "1013"], "is not lowest, or a pressure with its unit"),
        ] {
            let outcome = try await FathomProcess.run(["import", file] + arguments)
            #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome)")
        }
    }

    @Test("check finds nothing wrong with the shipped configuration")
    func checkShipped() async throws {
        let outcome = try await FathomProcess.run(["check", "--config", Project.path("config/fathom.yaml")])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test("check lists all problems at once, with their places, and exits 1")
    func checkBroken() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            "mqtt:\n  prot: 1883\n  port: many\nderive:\n  depth: { hysteresisMeters: -3 }\n", to: "fathom.yaml")
        let outcome = try await FathomProcess.run(["check", "--config", file])
        #expect(outcome.status == 1)
        for part in ["mqtt.prot", "mqtt.port", "derive.depth.hysteresisMeters", "fathom.yaml:2", "3 problems"] {
            #expect(outcome.output.contains(part), "\(outcome.output)")
        }
    }

    @Test(
        "a command that does not connect needs no credentials: check names those that cannot be read, and run refuses to start")
    func missingCredentials() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            mqtt:
              tls: { enabled: true, caFile: no/ca.crt }
              out: { certificateFile: no/out.crt, keyFile: no/out.key }
            lanes:
              safety:
                account: { username: gateway-in, passwordFile: no/password }
            registry: { unknownDevices: allow }
            gateway: { stateDirectory: state }
            """, to: "fathom.yaml")
        let config = ["--config", file]
        var device = TestDevice()
        let frame = device.depth(3, uptime: 100)
        let recording = try directory.write(String(decoding: frame.line, as: UTF8.self) + "\n", to: "r")
        let commands = [
            ["explain", "--topic", frame.message.topic], ["replay", recording], ["deadletters", "list"], ["check"],
            ["simulate", "--count", "1", "--duration", "1", "--record", "-"],
        ]
        for command in commands {
            let outcome = try await FathomProcess.run(
                command + config, input: String(decoding: frame.message.payload, as: UTF8.self))
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
        }
        let checked = try await FathomProcess.run(["check"] + config)
        for key in ["mqtt.tls.caFile", "mqtt.out.certificateFile", "mqtt.out.keyFile", "lanes.safety.account.passwordFile"] {
            #expect(checked.output.contains("note: \(file)") && checked.output.contains(key), "\(checked.output)")
        }
        let run = try await FathomProcess.run(["run"] + config)
        #expect(run.status == 1)
        #expect(run.errors.contains("lanes.safety.account.passwordFile"))
    }

    @Test("run starts nothing with a broken configuration")
    func runBroken() async throws {
        let outcome = try await FathomProcess.run(["run", "--set", "mqtt.nothing=1"])
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("mqtt.nothing"))
    }

    @Test("simulate records, and replay finds in it what was simulated")
    func simulateAndReplay() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("fleet.ndjson")
        let simulated = try await FathomProcess.run(
            ["simulate", "--count", "4", "--duration", "30", "--start", "1763749000", "--record", file])
        #expect(simulated.status == 0, "\(simulated.errors)")
        let replayed = try await FathomProcess.run(["replay", file])
        #expect(replayed.status == 0, "\(replayed.errors)")
        for kind in ["depth-state", "swing", "impact", "head-pose", "connection/headphone", "connection/device"] {
            #expect(replayed.output.contains("/out/\(kind)\""), "no \(kind)")
        }
        let again = try await FathomProcess.run(["replay", file])
        #expect(again.output == replayed.output)
    }

    @Test("simulate --raw records motion without fusion; a bias without it, and one that no gyroscope has, are errors")
    func simulateRaw() async throws {
        for start in ["nan", "1e300", "-5"] {
            let outcome = try await FathomProcess.run(["simulate", "--duration", "1", "--record", "-", "--start=\(start)"])
            #expect(
                outcome.status == 64 && outcome.errors.contains("between 1970 and 2100") && outcome.output.isEmpty, "\(outcome)")
        }
        // What a recording, or a frame, cannot hold is refused and not left out.
        for (arguments, error) in [
            (["--start", "4102444700", "--duration", "1000"], "may not end after 2100"),
            (["--start", "0", "--duration", "1", "--kinds", "batter,sleeper"], "sleeper sends dates"),
            (["--start", "978307300", "--duration", "1", "--kinds", "sleeper"], "sleeper sends dates"),
        ] {
            let outcome = try await FathomProcess.run(["simulate", "--record", "-"] + arguments)
            #expect(outcome.status == 64 && outcome.errors.contains(error) && outcome.output.isEmpty, "\(outcome)")
        }
        let simulate = ["simulate", "--kinds", "headphones,lifter,batter", "--count", "3", "--duration", "3", "--record", "-"]
        let raw = try await FathomProcess.run(simulate + ["--raw"])
        let motion = raw.output.split(separator: "\n").filter { $0.contains(#""rotationRate":"#) }
        #expect(raw.status == 0 && motion.count > 10, "\(raw.errors)")
        #expect(
            motion.allSatisfy { $0.contains(#""acceleration":{"x":["#) && !$0.contains("attitude") && !$0.contains("gravity") })
        for (arguments, error) in [
            (["--gyroscope-bias", "0.02"], "needs --raw"), (["--raw", "--gyroscope-bias", "2"], "must be 0 to 1"),
            (["--raw", "--gyroscope-bias", "nan"], "must be 0 to 1"),
        ] {
            let outcome = try await FathomProcess.run(simulate + arguments)
            #expect(outcome.status != 0 && outcome.errors.contains(error), "\(arguments): \(outcome.errors)")
        }
    }

    @Test("replay uses the registry when it has one, and environment and --set")
    func replayWithRegistry() async throws {
        let directory = try TemporaryDirectory()
        var device = TestDevice("stranger")
        let file = try directory.write(String(decoding: device.depth(3, uptime: 100).line, as: UTF8.self) + "\n", to: "r")
        let config = Project.path("config/fathom.yaml")
        let refused = try await FathomProcess.run(["replay", file, "--config", config])
        #expect(!refused.output.contains("/out/"))
        #expect(refused.output.contains("unknownDevice"))
        let allowed = try await FathomProcess.run(
            ["replay", file, "--config", config], environment: ["FATHOM_REGISTRY_UNKNOWN_DEVICES": "allow"])
        #expect(allowed.output.contains("/out/depth-state"))
        let overridden = try await FathomProcess.run(
            ["replay", file, "--config", config, "--set", "registry.unknownDevices=deny"],
            environment: ["FATHOM_REGISTRY_UNKNOWN_DEVICES": "allow"])
        #expect(!overridden.output.contains("/out/depth-state"))
    }

    @Test("replay reports an invalid line and continues, exit 1")
    func replayBadLine() async throws {
        let directory = try TemporaryDirectory()
        var device = TestDevice()
        let line = String(decoding: device.depth(3, uptime: 100).line, as: UTF8.self)
        let file = try directory.write("nonsense\n\(line)\n", to: "r")
        let outcome = try await FathomProcess.run(["replay", file])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("r:1:"))
        #expect(outcome.output.contains("depth-state"))
    }

    @Test("the error for a missing recording has its name")
    func replayMissing() async throws {
        let outcome = try await FathomProcess.run(["replay", "/nowhere/at-all"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("/nowhere/at-all"))
    }

    @Test("explain shows the result of a payload, or why it is rejected")
    func explain() async throws {
        var device = TestDevice()
        let payload = String(decoding: device.depth(3, uptime: 100).message.payload, as: UTF8.self)
        let topic = ["explain", "--topic", "wearables/d1/in/submersion"]
        let good = try await FathomProcess.run(topic, input: payload)
        #expect(good.status == 0, "\(good.output)")
        #expect(good.output.contains("depth 3 m") && good.output.contains("/out/depth-state"))
        let bad = try await FathomProcess.run(topic, input: "{}")
        #expect(bad.status == 1)
        #expect(bad.output.contains("unknownSchema") && bad.output.contains("/schema"))
        let config = ["--config", Project.path("config/fathom.yaml"), "--set", "registry.unknownDevices=deny"]
        let stranger = try await FathomProcess.run(topic + config, input: payload)
        #expect(stranger.status == 1)
        #expect(stranger.output.contains("unknownDevice"))
        let retained = try await FathomProcess.run(topic + ["--retain", "--content-type", "application/json"], input: payload)
        #expect(retained.status == 1)
        #expect(retained.output.contains("ignored"))
    }

    @Test("simulated frames in Protocol Buffers are replayed as those in JSON, and shown as JSON")
    func protocolBuffers() async throws {
        let directory = try TemporaryDirectory()
        var swings: [Int] = []
        for encoding in ["json", "protobuf", "protobuf-packed"] {
            let recording = directory.path("\(encoding).ndjson")
            let simulated = try await FathomProcess.run([
                "simulate", "--kinds", "batter", "--count", "1", "--duration", "30", "--start", "1763749000", "--encoding",
                encoding,
                "--record", recording,
            ])
            #expect(simulated.status == 0, "\(simulated.errors)")
            let replayed = try await FathomProcess.run(["replay", recording])
            #expect(replayed.status == 0 && !replayed.output.contains("/out/rejected"), "\(encoding): \(replayed.errors)")
            swings.append(replayed.output.split(separator: "\n").count { $0.contains(#"/out/swing""#) })
        }
        #expect(swings[0] > 0 && Set(swings).count == 1, "\(swings)")

        let line = try String(contentsOfFile: directory.path("protobuf-packed.ndjson"), encoding: .utf8).split(separator: "\n")[2]
        #expect(line.contains(#""contentType":"application/protobuf","payloadBase64":"#))
        try FileManager.default.createDirectory(
            atPath: directory.path("state/deadletters"), withIntermediateDirectories: true)
        _ = try directory.write(line + "\n", to: "state/deadletters/1763749000000-bulk.ndjson")
        let shown = try await FathomProcess.run([
            "deadletters", "show", "--json", "1763749000000-bulk", "--set", "gateway.stateDirectory=\(directory.path("state"))",
        ])
        #expect(shown.output.contains(#""payload":{"schema":"wearables/1","boot":"#), "\(shown.output) \(shown.errors)")

        // A command whose bytes are all ASCII.
        let frame = "\u{0A}\u{0B}wearables/1\u{12}\u{01}b\u{21}\0\0\0\0\0\0\0@\u{4A}\u{00}"
        let explained = try await FathomProcess.run(["explain", "--topic", "wearables/d1/in/command"], input: frame)
        #expect(explained.status == 1 && explained.output.contains("missingField"), "\(explained.output)")
        #expect(explained.output.contains(#"{"schema":"wearables/1","boot":"b","uptime":2.0}"#), "\(explained.output)")
    }

    @Test("Output that cannot be written, and input that cannot be read on, end a command with an error")
    func brokenFiles() async throws {
        let directory = try TemporaryDirectory()
        let registry = try directory.write("devices:\n  d1:\n", to: "registry.yaml")
        let config = try directory.write("registry: { file: \(registry) }\n", to: "fathom.yaml")
        let full = try await FathomProcess(["device", "list", "--config", config], prelude: "exec > /dev/full").outcome()
        #expect(full.status == 1 && full.errors.contains("No space left"), "\(full)")
        for command in [["replay"], ["export", "--format", "csv", "--kind", "dive"]] {
            let outcome = try await FathomProcess.run(command + ["/proc/self/mem"])
            #expect(outcome.status == 1 && outcome.errors.contains("/proc/self/mem: "), "\(outcome)")
        }
    }

    @Test("A registry that cannot be written whole stays as it was, and no part of another one is left beside it")
    func keptRegistry() async throws {
        let directory = try TemporaryDirectory()
        let text = "# \(String(repeating: "-", count: 4_000))\ndevices:\n  d1: {}\n"
        let registry = try directory.write(text, to: "registry.yaml")
        let config = try directory.write("registry: { file: \(registry) }\n", to: "fathom.yaml")
        let outcome = try await FathomProcess(
            ["device", "edit", "d1", "--wrist", "left", "--config", config], prelude: "trap '' XFSZ && ulimit -f 1"
        ).outcome()
        #expect(outcome.status == 1 && outcome.errors.contains("File too large"), "\(outcome)")
        #expect(try String(contentsOfFile: registry, encoding: .utf8) == text)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == ["fathom.yaml", "registry.yaml"])
    }

    @Test("A recording that is there is not lost where another one cannot be made")
    func keptRecordings() async throws {
        let directory = try TemporaryDirectory()
        let kept = try directory.write("kept", to: "kept.ndjson")
        let other = try TemporaryDirectory()
        let dive = try other.write("time (s),depth (m)\n0,0\n1,2\n2,3\n3,0\n", to: "dive.csv")
        let part = ["import", "--start", "1763749000", "--device", "d1", dive, other.path("none.csv"), "--output"]
        for command in [
            ["import", directory.path("none.csv"), "--output", kept], ["import", directory.path(""), "--output", kept],
            part + [kept],
            ["import", kept, "--output", directory.path("./kept.ndjson")], ["record", "--output", kept],
            ["simulate", "--duration", "inf", "--record", kept],
        ] {
            let outcome = try await FathomProcess.run(command)
            #expect(outcome.status != 0)
            #expect(try String(contentsOfFile: kept, encoding: .utf8) == "kept", "\(command): \(outcome)")
        }
        // Where nothing is lost, what could be read is written.
        let new = try await FathomProcess.run(part + [other.path("new.ndjson")])
        let text = try String(contentsOfFile: other.path("new.ndjson"), encoding: .utf8)
        #expect(new.status == 1 && text.contains("/in/submersion"), "\(new)")
    }

    @Test("An import writes into the folder that it reads, beside its files")
    func importBeside() async throws {
        let directory = try TemporaryDirectory()
        _ = try directory.write("time,depth\n0,0\n1,2\n2,3\n3,0\n", to: "dive.csv")
        let command = [
            "import", "--start", "1763749000", "--device", "d1", "--columns", "time=time:s,depth=depth:m", directory.path(""),
        ]
        let first = try await FathomProcess.run(command + ["--output", directory.path("dive.ndjson")])
        #expect(first.status == 0, "\(first)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")).sorted() == ["dive.csv", "dive.ndjson"])
        #expect(try await FathomProcess.run(command + ["--output", directory.path("dive.ndjson")]).status == 64)
    }

    @Test("Programs connect with the client id of the configuration")
    func clientIDs() async throws {
        for (setting, id) in [
            ([], "mqtt.client=gateway-record-"), (["--set", "record.account.clientID=mine"], "mqtt.client=mine"),
        ] {
            let recorder = try FathomProcess(["record", "--set", "mqtt.port=1"] + setting)
            try await eventually("the broker is tried") { recorder.errors.contains("mqtt.client=") }
            #expect(recorder.errors.contains(id), "\(recorder.errors)")
            _ = try await recorder.terminate()
        }
    }
}
