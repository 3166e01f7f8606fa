import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("The list of derivations")
struct DerivationListTests {
    private let device = "d1"

    @Test("Names and paths are each one derivation's")
    func names() {
        let declarations = Derivations.declarations
        #expect(Set(declarations.map(\.name)).count == declarations.count)
        for declaration in declarations {
            // Alarms have messages of others as their input.
            #expect(!declaration.streams.isEmpty || declaration.name == "alarms")
            #expect(!declaration.kinds.isEmpty)
            #expect(declaration.summary.hasSuffix("."))
        }
        for path in ["depth-state", "connection/device", "connection/headphone", "head-pose", "swing", "stroke"] {
            #expect(declarations.count { $0.publishes(path) } == 1, "\(path)")
        }
        #expect(!declarations.contains { $0.publishes("access/submersion") })
    }

    /// What a derivation takes from elsewhere, and constants.
    private static let noSettings = [
        "depth": [
            "maximumDepth", "minimumIntervalSeconds", "minimumDepthMeters", "recoverySeconds", "gravity", "ascentWindowSeconds",
            "convergedCelsius", "longestFreeDiveSeconds", "freeAscentRate", "lagAllowanceSeconds", "isCurrent",
        ],
        "connection.headphone": ["lagAllowanceSeconds"],
        "connection.device": ["isCurrent"],
        "headPose": ["calmSeconds", "calmAccelerationG", "silenceSeconds"],
        "swing": [
            "highPassHertz", "refractorySeconds", "candidateRate", "candidatePeak", "interruptionSeconds", "lookBackSeconds",
            "minimumRotation", "maximumRotation", "waitSeconds", "accelerometerHertz", "deviceMotionHertz",
        ],
        "swingTrace": ["swing"],
        "sleep": ["isConsented"],
        "punch": ["boutG", "boutSeconds", "smoothHertz", "speedSeconds", "recoilSeconds", "waitSeconds", "hand"],
        "bodyPose": [
            "stillDegreesPerSecond", "leaveDegreesPerSecond", "leaveSeconds", "learnSeconds", "intervalSeconds", "validSeconds",
            "turnsAxes",
        ],
        "tremor": [
            "bandShare", "peakShare", "leastG", "subharmonicShare", "activityG", "greatestActionG", "waitSeconds", "isPermitted",
        ],
        "movementDisorder": ["isPermitted"],
        "pedometer": [
            "smoothingSeconds", "settleSeconds", "silenceSeconds", "refreshSeconds", "repairSteps", "hysteresisMeters",
            "altitudeSmoothingSeconds", "lagAllowanceSeconds", "tracksEvents", "isCurrent",
        ],
        "orientation": ["silenceSeconds"],
        "attitude": ["silenceSeconds"],
        "wear": ["validHours"],
        "altitude": ["smoothingSeconds", "validSeconds"],
        "repetition": [
            "minimumPeriodSeconds", "maximumPeriodSeconds", "periodicHeight", "amplitudeG", "amplitudeRate", "endPeriods",
            "stepHeight", "validSeconds", "waitSeconds", "leastProbability",
        ],
        "posture": [
            "smoothingSeconds", "calmSeconds", "calmAccelerationG", "calmDegreesPerSecond", "proneDegrees", "pushUpMeters",
            "pushUpSeconds", "validSeconds",
        ],
        "session": ["refreshSeconds", "settleSeconds"],
        "alarms": ["written", "table", "lagSeconds", "device"],
    ]

    @Test("Every property of a derivation's settings stands once in its table, or is known to be none")
    func tables() {
        func check<D: Derivation>(_ derivation: D.Type) {
            let properties = Mirror(reflecting: D.Settings()).children.compactMap(\.label)
            let others = Self.noSettings[D.declaration.name] ?? []
            #expect(Set(others).isSubset(of: properties))
            #expect(properties.count - others.count == D.Settings.table.count, "\(D.declaration.name)")
            #expect(Set(D.Settings.table.map(\.key)).count == D.Settings.table.count)
            for rule in D.Settings.rules { #expect(Set(rule.keys).isSubset(of: D.Settings.table.map(\.key))) }
        }
        for derivation in Derivations.all { check(derivation) }
    }

    @Test("Altitude, repetitions, punches and posture are derived by default; others from motion where asked for")
    func defaults() {
        let long = [
            "depth", "connection.device", "connection.headphone", "headPose", "swing", "stroke", "pedometer", "altitude",
            "session", "day", "wear", "sleep", "movementDisorder", "quantization", "punch", "posture", "repetition", "alarms",
        ]
        for declaration in Derivations.declarations {
            #expect(declaration.isOnByDefault == long.contains(declaration.name), "\(declaration.name)")
        }
    }

    private func frames() -> [RecordedMessage] {
        var device = TestDevice()
        return frames(of: &device)
    }

    private func frames(of device: inout TestDevice) -> [RecordedMessage] {
        [
            device.status(uptime: 99), device.depth(3, uptime: 100), device.stillHead(uptime: 100.5),
            device.stillHead(uptime: 100.9, count: 10), device.accelerometer(start: 100),
        ]
    }

    @Test("A derivation that is switched off publishes nothing, keeps no state and leaves the others alone")
    func off() throws {
        var settings = PipelineHarness.settings
        var full = PipelineHarness(settings: settings)
        settings.derive.setEnabled(SubmersionDerivation.self, false)
        var partial = PipelineHarness(settings: settings)
        let all = full.send(frames())
        let some = partial.send(frames())
        #expect(all.contains { $0.kind == "depth-state" })
        #expect(some.map(\.lasting) == all.filter { $0.kind != "depth-state" }.map(\.lasting))
        let state = try #require(Identifier(device).flatMap { partial.pipeline.state(of: $0) })
        #expect(state.boot.derivations[SubmersionDerivation.self] == nil)
        #expect(state.boot.derivations[HeadPoseDerivation.self] != nil)
        #expect(partial.tick(at: 1_763_744_200).allSatisfy { $0.kind != "depth-state" })
        #expect(partial.end().allSatisfy { $0.kind != "depth-state" })
    }

    @Test("What the broker keeps of a derivation that has been switched off is cleared with the next start")
    func cleared() throws {
        var before = PipelineHarness()
        _ = before.send(frames())
        let id = try #require(Identifier(device))
        let state = try #require(before.pipeline.state(of: id))
        var after = PipelineHarness(settings: .with { $0.derive.setEnabled(DeviceConnectionDerivation.self, false) })
        let now = GatewayTime(unix: UnixTime(1_763_744_200), monotonic: 10)
        let messages = after.pipeline.restore(state, of: id, at: now)
        #expect(messages.map(\.topic) == ["wearables/d1/out/connection/device"])
        #expect(messages.allSatisfy { $0.payload.isEmpty && $0.retain })
    }

    @Test("Only what a frame has changed is written, each derivation as a part of its own")
    func parts() throws {
        var harness = PipelineHarness()
        var device = TestDevice()
        _ = harness.send(frames(of: &device))
        func derived() throws -> [String] {
            defer { harness.pipeline.noteWritten() }
            return try harness.pipeline.takeChanges().flatMap(\.parts).map(\.name).filter { $0.hasPrefix("derive/") }
        }
        #expect(
            try derived() == [
                "derive/depth", "derive/connection.device", "derive/connection.headphone", "derive/headPose", "derive/swing",
                "derive/punch", "derive/posture", "derive/session",
            ])
        #expect(try derived().isEmpty)
        _ = harness.send(device.depth(4, uptime: 101.2))
        #expect(try derived() == ["derive/depth", "derive/connection.device"])
    }

    @Test("Settings that are another derivation's follow it")
    func adopted() {
        var derive = DeriveSettings()
        derive[HeadphoneConnectionDerivation.self].silenceSeconds = 7
        derive[DeviceConnectionDerivation.self].lagAllowanceSeconds = 3
        #expect(derive[HeadPoseDerivation.self].silenceSeconds == 7)
        #expect(derive[SubmersionDerivation.self].lagAllowanceSeconds == 3)
        #expect(derive[HeadphoneConnectionDerivation.self].lagAllowanceSeconds == 3)
        #expect(derive != DeriveSettings())
    }
}
