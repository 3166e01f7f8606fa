@testable import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Alarms of a device's messages")
struct AlarmPipelineTests {
    private var device = TestDevice()
    private var offset: Double { device.offset }

    /// Settings with which a depth state is published each second.
    private static var settings: PipelineSettings { .with { $0.derive[SubmersionDerivation.self].refreshSeconds = 1 } }

    private func alarms(_ messages: [DerivedJSON]) -> [DerivedJSON] { messages.filter { $0.kind.hasPrefix("alarm/") } }

    /// Level, state and device time of each alarm, or of those of a rule; an emptied topic is ended.
    private func log(_ messages: [DerivedJSON], of rule: String = "") -> [String] {
        alarms(messages).filter { $0.kind.hasPrefix("alarm/" + rule) }.map { message in
            let level = message.kind.dropFirst("alarm/".count)
            guard !message.isClearing else { return "\(level) ended" }
            let time = message.number("deviceTime").map { "\(Int($0))" } ?? "-"
            return "\(level) \(message.text("state") ?? "") \(time)"
        }
    }

    private func acknowledge(_ level: String, at unix: Double, in harness: inout PipelineHarness) throws -> [DerivedJSON]? {
        let now = GatewayTime(unix: UnixTime(unix), monotonic: unix)
        let acknowledgement = AlarmAcknowledgement(level: level, person: "Ada", at: now.unix)
        let device = try #require(DeviceID("d1"))
        return harness.pipeline.acknowledge(acknowledgement, of: device, at: now)?.messages.map(DerivedJSON.init)
    }

    @Test("A diver who passes the limit: raised with the frame, acknowledged, cleared, kept, and ended")
    mutating func limit() throws {
        var harness = PipelineHarness(settings: Self.settings)
        let raised = harness.send([device.depth(38.5, uptime: 100), device.depth(40.5, uptime: 101)])
        let alarm = try #require(alarms(raised).last)
        #expect(log(raised) == ["near-limit raised 100", "past-limit raised 101"])
        #expect(alarm.retain && alarm.text("value") == "pastMaxDepth" && alarm.text("sourceKind") == "depth-state")
        #expect(alarm.text("severity") == "critical" && alarm.number("since") == alarm.number("at"))
        let source = try #require(alarm.fields["source"] as? [String: Any])
        #expect(source["stream"] as? String == "submersion" && source["seq"] as? [Int] == [1, 1])
        #expect(harness.pipeline.fleet.alarms[.init(name: "past-limit", severity: .critical)] == 1)

        #expect(try acknowledge("silent", at: offset + 101.5, in: &harness) == nil)
        let acknowledged = try #require(try acknowledge("past-limit", at: offset + 101.5, in: &harness))
        let first = try #require(acknowledged.first)
        #expect(acknowledged.count == 1 && first.retain && first.text("state") == "acknowledged")
        #expect(first.text("acknowledgedBy") == "Ada" && first.number("acknowledgedAt") == offset + 101.5)
        #expect(first.isNull("source") && first.isNull("deviceTime") && first.number("since") == alarm.number("since"))
        #expect(try #require(try acknowledge("past-limit", at: offset + 101.6, in: &harness)).isEmpty)
        #expect(harness.pipeline.fleet.alarms[.init(name: "past-limit", severity: .critical)] == 1)

        let up = (102..<116).map { device.depth(39.5, uptime: Double($0)) }
        #expect(log(harness.send(up)) == ["past-limit cleared 112"])
        #expect(harness.pipeline.fleet.alarms[.init(name: "past-limit", severity: .critical)] == 0)
        #expect(try acknowledge("past-limit", at: offset + 116, in: &harness) == nil)
        #expect(log(harness.tick(at: offset + 3_713), of: "past-limit").isEmpty)
        #expect(log(harness.tick(at: offset + 3_715), of: "past-limit") == ["past-limit ended"])
        #expect(log(harness.tick(at: offset + 100_000)).isEmpty)
    }

    @Test("Each message of an alarm has the instant at which it was raised, however the device's clock is corrected meanwhile")
    mutating func correctedClock() throws {
        var harness = PipelineHarness(settings: Self.settings)
        let raised = try #require(alarms(harness.send([device.depth(40.5, uptime: 100)])).last)
        #expect(raised.text("state") == "raised" && raised.number("since") == offset + 100)
        device.offset += 0.003
        _ = harness.send([device.depth(40.5, uptime: 101)])
        let acknowledged = try #require(try acknowledge("past-limit", at: offset + 101.5, in: &harness)?.last)
        #expect(acknowledged.number("since") == raised.number("since"))
        device.offset -= 3_600
        _ = harness.send([device.depth(40.5, uptime: 102)])
        let cleared = try #require(alarms(harness.send((103..<120).map { device.depth(20, uptime: Double($0)) })).last)
        #expect(cleared.text("state") == "cleared" && cleared.number("since") == raised.number("since"))
        #expect(cleared.number("clearedAt") == cleared.number("at"))
    }

    @Test("A diver who is not heard of, at any depth; data clear that, a fault of the sensor does not")
    mutating func contact() throws {
        var harness = PipelineHarness(settings: Self.settings)
        _ = harness.send([device.depth(39.5, uptime: 100), device.depth(40.5, uptime: 101)])
        let lost = log(harness.tick(at: offset + 200), of: "contact-lost")
        #expect(lost.count == 1 && lost[0].hasPrefix("contact-lost raised"))
        let faults = harness.send([device.depth(-5, uptime: 201), device.depth(-6, uptime: 202)])
        #expect(log(faults, of: "past").isEmpty && log(faults, of: "contact").isEmpty)
        let back = harness.send((300..<320).map { device.depth(20, uptime: Double($0)) })
        #expect(log(back, of: "past") == ["past-limit cleared 311"])
        #expect(log(back, of: "contact") == ["contact-lost cleared 311"])
    }

    @Test("The limit is not over by silence, a restart of the gateway or of the device")
    mutating func notOver() throws {
        var harness = PipelineHarness(settings: Self.settings)
        let raised = alarms(harness.send([device.depth(20, uptime: 100), device.depth(41, uptime: 101)]))
        #expect(raised.count == 1)
        let stop = harness.end()
        #expect(log(stop) == ["contact-lost raised -"])
        let later = harness.tick(at: offset + 10_000)
        #expect(log(later, of: "past-limit").isEmpty)
        var restarted = TestDevice("d1", boot: "b2", offset: offset + 10_000)
        let back = harness.send((20..<35).map { restarted.depth(10, uptime: Double($0)) })
        let cleared = try #require(alarms(back).first { $0.kind == "alarm/past-limit" })
        #expect(cleared.text("state") == "cleared" && cleared.number("deviceTime") == 30)
        #expect(cleared.number("since") == raised.first?.number("since"))
        #expect(log(harness.tick(at: restarted.offset + 3_633)).contains("past-limit ended"))
    }

    @Test("A stream that is refused, by the device and by the operator")
    mutating func refused() throws {
        let policy = DevicePolicy.with { $0.entitlement = DepthEntitlement.none }
        var harness = PipelineHarness(settings: Self.settings, policy: PipelineHarness.policy("d1", policy))
        let refused = harness.send([device.depth(3, uptime: 100)])
        #expect(log(refused) == ["refused/submersion raised 100"])
        #expect(alarms(refused).first?.text("value") == "notEntitled")
        let allowed = harness.replace(policy: PipelineHarness.policy("d1", .everything))
        #expect(log(allowed).isEmpty)
        #expect(log(harness.send((101..<116).map { device.depth(3, uptime: Double($0)) })) == ["refused/submersion cleared 110"])
        let denied = DevicePolicy.with { $0.authorization = .denied }
        let revoked = harness.replace(policy: PipelineHarness.policy("d1", denied))
        let message = try #require(alarms(revoked).first)
        // Contact is lost by that, but nothing of the depth stays.
        #expect(log(revoked) == ["refused/submersion raised -", "contact-lost raised -", "contact-lost ended"])
        #expect(message.isNull("source") && message.number("since") == message.number("at"))
        #expect(log(harness.replace(policy: AccessPolicy())) == ["refused/submersion ended"])
    }

    @Test("When a device is denied its alarms about data end, and those about access stay")
    mutating func denied() throws {
        var harness = PipelineHarness(settings: Self.settings, policy: PipelineHarness.policy("d1", .everything))
        _ = harness.send([device.depth(20, uptime: 100), device.depth(41, uptime: 101)])
        let denied = DevicePolicy.with { $0.authorization = .denied }
        let messages = harness.replace(policy: PipelineHarness.policy("d1", denied))
        #expect(Set(log(messages)).isSuperset(of: ["past-limit ended", "refused/submersion raised -"]))
        let state = try #require(DeviceID("d1").flatMap { harness.pipeline.state(of: $0) })
        #expect(state.retained.kinds.filter { $0.hasPrefix("alarm/") } == ["alarm/refused/submersion"])
        #expect(log(harness.replace(policy: PipelineHarness.policy("d1", .everything))).isEmpty)
        #expect(log(harness.send((102..<116).map { device.depth(3, uptime: Double($0)) })) == ["refused/submersion cleared 111"])
    }

    @Test("Alarms about what needs a consent end with the consent")
    mutating func consent() throws {
        var settings = Self.settings
        settings.derive[AlarmDerivation.self].written = [
            AlarmRule("shaking", .info, [AlarmCondition("dyskinesia", "likely", .above(0))]),
            AlarmRule("steady", .info, [AlarmCondition("depth-state", nil, .silent(1))]),
        ]
        let policy = DevicePolicy.with { $0.consents = [.tremor] }
        var harness = PipelineHarness(settings: settings, policy: PipelineHarness.policy("d1", policy))
        _ = harness.send([device.depth(20, uptime: 100), device.depth(20, uptime: 102)])
        let dyskinesia = DerivedEvent(
            time: DeviceTime(102), body: Dyskinesia(start: DeviceTime(42), end: DeviceTime(102), unlikely: 0, likely: 1))
        let id = try #require(DeviceID("d1"))
        harness.pipeline.turn(id, at: GatewayTime(unix: UnixTime(offset + 102), monotonic: offset + 102)) {
            $0.publish(dyskinesia, stream: .movementDisorder)
        }
        #expect(log(harness.tick(at: offset + 102.1)).contains("shaking raised 102"))
        #expect(log(harness.replace(policy: PipelineHarness.policy("d1", .everything))) == ["shaking ended"])
        _ = harness.tick(at: offset + 104)
        let state = try #require(harness.pipeline.state(of: id))
        #expect(state.retained.kinds.filter { $0.hasPrefix("alarm/") } == ["alarm/steady"])
    }

    @Test("Frames of several streams give the same alarms in whatever order they come", arguments: 0..<8)
    mutating func shuffled(seed: Int) throws {
        var settings = Self.settings
        settings.derive[AlarmDerivation.self].written = [
            AlarmRule("deep", .info, [AlarmCondition("depth-state", "state", .oneOf([.text("submergedDeep")]))]),
            AlarmRule("quiet", .info, [AlarmCondition("depth-state", nil, .silent(20))]),
        ]
        var frames = [device.status(uptime: 99)]
        for second in 100..<160 {
            let depth = second < 130 ? 41.0 : second < 145 ? 3 : 0
            frames.append(device.depth(depth, uptime: Double(second)))
            if second.isMultiple(of: 7) { frames.append(device.status(uptime: Double(second))) }
        }
        func run(_ frames: [RecordedMessage]) -> Set<String> {
            var harness = PipelineHarness(settings: settings)
            var messages = harness.send(frames)
            messages += harness.tick(at: offset + 400)
            return Set(alarms(messages).map(\.lasting))
        }
        var random = SeededGenerator(seed: UInt64(seed))
        // Each message comes up to a second late.
        let shuffled = frames.late(by: 0.9, using: &random)
        let expected = run(frames)
        #expect(expected.count > 5)
        #expect(run(shuffled) == expected)
    }

    @Test("A silence is not ended by what the gateway publishes of it, nor by a start", arguments: [2.0, 60])
    mutating func silenceGoesOn(staleSeconds: Double) throws {
        var settings = Self.settings
        settings.derive[SubmersionDerivation.self].staleSeconds = staleSeconds
        settings.derive[AlarmDerivation.self].written = [
            AlarmRule("quiet", .critical, [AlarmCondition("depth-state", nil, .silent(20))])
        ]
        var harness = PipelineHarness(settings: settings)
        _ = harness.send([device.depth(20, uptime: 99), device.depth(20, uptime: 100)])
        var messages: [DerivedJSON] = []
        for second in 101...200 { messages += harness.tick(at: offset + Double(second)) }
        #expect(messages.contains { $0.kind == "depth-state" && $0.text("state") == "unknown" })
        #expect(log(messages, of: "quiet") == ["quiet raised 120"])
        let announced = harness.begin(at: offset + 201)
        #expect(announced.contains { $0.kind == "depth-state" })
        let later = harness.tick(at: offset + 260)
        #expect(log(announced + later, of: "quiet").isEmpty)
    }

    @Test("A clock that is set back as the device starts again delays no alarm", arguments: [0, 3_600, 700_000_000.0])
    mutating func clockSetBack(seconds: Double) throws {
        var settings = Self.settings
        var deep = AlarmRule("deep", .critical, [AlarmCondition("depth-state", "depth", .above(10))])
        deep.afterSeconds = 30
        let quiet = AlarmRule("quiet", .critical, [AlarmCondition("water-temperature", nil, .silent(40))])
        settings.derive[AlarmDerivation.self].written = [deep, quiet]
        var harness = PipelineHarness(settings: settings)
        _ = harness.send(
            device.frame(
                "submersion", uptime: 100,
                #""temperatures":[{"timestamp":100,"temperature":{"value":9,"unit":"C"},"temperatureUncertainty":{"value":1,"unit":"C"}}]"#
            ))
        _ = harness.send((100...115).map { device.depth(20, uptime: Double($0)) })
        device.boot = "b2"
        device.offset += 115 - seconds
        var messages: [DerivedJSON] = []
        for second in 1...40 {
            var frame = device.depth(20, uptime: Double(second))
            frame.at += seconds
            messages += harness.send(frame)
        }
        // By the wall clock a second has passed between the boots, which is not known where that was set back.
        #expect(log(messages, of: "deep") == ["deep raised \(seconds == 0 ? 15 : 16)"])
        #expect(log(messages, of: "quiet") == ["quiet raised \(seconds == 0 ? 25 : 26)"])
    }

    @Test("A late frame of the boot before makes no alarm older")
    mutating func lateFrame() throws {
        var settings = Self.settings
        var deep = AlarmRule("deep", .critical, [AlarmCondition("depth-state", "depth", .above(10))])
        deep.afterSeconds = 30
        settings.derive[AlarmDerivation.self].written = [deep]
        var harness = PipelineHarness(settings: settings)
        _ = harness.send([device.depth(20, uptime: 100), device.depth(20, uptime: 101)])
        var late = device.depth(20, uptime: 102)
        var restarted = TestDevice("d1", boot: "b2", offset: offset + 110)
        var messages = harness.send((1...10).map { restarted.depth(20, uptime: Double($0)) })
        late.at = restarted.offset + 10.5
        messages += harness.send(late)
        messages += harness.send((11...40).map { restarted.depth(20, uptime: Double($0)) })
        // The wait began at 100 of the first boot, which is 10 s before the second.
        #expect(log(messages, of: "deep") == ["deep raised 20"])
    }

    @Test("A depth waits for no alarms but those about depths and critical ones")
    func urgency() throws {
        var settings = Self.settings
        settings.derive[AlarmDerivation.self].written = [
            AlarmRule("hit", .critical, [AlarmCondition("impact", "peak", .above(8))]),
            AlarmRule("blow", .warning, [AlarmCondition("impact", "peak", .above(4))]),
        ]
        let encoder = OutboundEncoder(settings)
        let device = try #require(DeviceID("d1"))
        let kinds = [
            "depth-state", "alarm/past-limit", "alarm/contact-lost", "alarm/near-limit", "alarm/hit",
            "alarm/blow", "alarm/silent", "alarm/refused/submersion", "alarm/gone", "dive", "impact",
        ]
        #expect(
            kinds.filter { encoder.clearing($0, of: device).isUrgent } == [
                "depth-state", "alarm/past-limit", "alarm/contact-lost", "alarm/near-limit", "alarm/hit",
            ])
    }

    @Test("At a start the alarms of rules that are not in force end, and so do those that are not about the device any more")
    mutating func rules() throws {
        var settings = Self.settings
        let rule = AlarmRule("deep", .info, [AlarmCondition("depth-state", "state", .oneOf([.text("submergedDeep")]))])
        settings.derive[AlarmDerivation.self].written = [rule]
        var harness = PipelineHarness(settings: settings)
        _ = harness.send([device.depth(20, uptime: 100)])
        let id = try #require(DeviceID("d1"))
        let state = try #require(harness.pipeline.state(of: id))
        var elsewhere = rule
        elsewhere.devices = ["d2"]
        var parted = rule
        parted.conditions = [AlarmCondition("access/{stream}", "reason", .oneOf([.text("notEntitled")]))]
        for (written, ends) in [([rule], false), ([], true), ([elsewhere], true), ([parted], true)] {
            settings.derive[AlarmDerivation.self].written = written
            var next = PipelineHarness(settings: settings)
            let now = GatewayTime(unix: UnixTime(offset + 101), monotonic: offset + 101)
            let messages = next.pipeline.restore(state, of: id, at: now).map(DerivedJSON.init)
            #expect(log(messages) == (ends ? ["deep cleared -", "deep ended"] : []))
        }
        settings.derive.setEnabled(AlarmDerivation.self, false)
        var off = PipelineHarness(settings: settings)
        let now = GatewayTime(unix: UnixTime(offset + 101), monotonic: offset + 101)
        #expect(log(off.pipeline.restore(state, of: id, at: now).map(DerivedJSON.init)) == ["deep ended"])
        #expect(log(off.send([device.depth(41, uptime: 101)])).isEmpty)
    }

    @Test("At a start the alarms of a rule with other conditions end: what is known says nothing of them")
    mutating func changedConditions() throws {
        let state = AlarmCondition("depth-state", "state", .oneOf([.text("submergedDeep")]))
        let depth = AlarmCondition("depth-state", "depth", .above(5))
        func settings(_ join: AlarmRule.Join, _ conditions: [AlarmCondition]) -> PipelineSettings {
            var (settings, rule) = (Self.settings, AlarmRule("deep", .info, conditions))
            rule.join = join
            settings.derive[AlarmDerivation.self].written = [rule]
            return settings
        }
        let written = settings(.any, [state, depth])
        var harness = PipelineHarness(settings: written)
        _ = harness.send([device.depth(20, uptime: 100)])
        let id = try #require(DeviceID("d1"))
        let stored = try #require(harness.pipeline.state(of: id))
        for (next, ends) in [
            (written, false), (settings(.any, [state]), true), (settings(.any, [depth]), true),
            (settings(.all, [state, depth]), true),
            (settings(.any, [AlarmCondition("water-temperature", "temperature", .below(8))]), true),
        ] {
            var harness = PipelineHarness(settings: next)
            let now = GatewayTime(unix: UnixTime(offset + 101), monotonic: offset + 101)
            let messages = harness.pipeline.restore(stored, of: id, at: now).map(DerivedJSON.init)
            #expect(log(messages) == (ends ? ["deep cleared -", "deep ended"] : []))
            // The value expires.
            _ = harness.tick(at: offset + 1_000)
        }
    }

    @Test("A consent that is withdrawn ends the alarms of each stream, also those that are cleared and gone")
    mutating func consentOfStreams() throws {
        var settings = Self.settings
        settings.derive[AlarmDerivation.self].written = [
            AlarmRule("shaking", .info, [AlarmCondition("tremor", "state", .oneOf([.text("present")]))])
        ]
        let rules = settings.derive[AlarmDerivation.self]
        let rule = try #require(rules.rules.first { $0.name == "shaking" })
        #expect(rules.levels(of: rule).contains("shaking/device-motion"))
        let policy = DevicePolicy.with { $0.consents = [.tremor] }
        var harness = PipelineHarness(settings: settings, policy: PipelineHarness.policy("d1", policy))
        _ = harness.send([device.depth(20, uptime: 100)])
        _ = try harness.pipeline.takeChanges()
        _ = harness.replace(policy: PipelineHarness.policy("d1", .everything))
        #expect(try harness.pipeline.takeChanges().contains { $0.erasedKinds.contains("alarm/shaking/device-motion") })
    }
}
