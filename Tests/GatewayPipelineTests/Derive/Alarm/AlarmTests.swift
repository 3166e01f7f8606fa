@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Alarms")
struct AlarmTests {
    private func rule(_ name: String = "deep", after: Double = 0, clear: Double = 10, _ condition: AlarmCondition? = nil)
        -> AlarmRule
    {
        var rule = AlarmRule(
            name, .critical, [condition ?? AlarmCondition("depth-state", "state", .oneOf([.text("submergedDeep")]))])
        (rule.afterSeconds, rule.clearSeconds) = (after, clear)
        return rule
    }

    @Test("An alarm is raised, acknowledged, cleared after a while, kept, and ended", arguments: [false, true])
    func life(isStored: Bool) throws {
        var bench = AlarmBench([rule()])
        bench.isStored = isStored
        try bench.depth(.submergedShallow, at: 1)
        try bench.depth(.submergedDeep, at: 2)
        try bench.depth(.submergedDeep, at: 3)
        #expect(
            bench.last?.value == .text("submergedDeep") && bench.last?.field == "state" && bench.last?.sourceKind == "depth-state"
        )
        try bench.acknowledge("deep", at: 4)
        try bench.acknowledge("deep", by: "Bo", at: 5)
        #expect(bench.last?.acknowledgedBy == "Ada" && bench.last?.acknowledgedAt == UnixTime(1_004))
        try bench.depth(.submergedShallow, at: 6)
        try bench.fire(until: 15.9)
        try bench.fire(until: 16)
        #expect(bench.last?.since == .device(DeviceTime(2)) && bench.last?.clearedAt == .device(DeviceTime(16)))
        try bench.acknowledge("deep", at: 17)
        try bench.fire(until: 4_000)
        #expect(bench.log == ["deep raised 2", "deep acknowledged 4", "deep cleared 16", "deep ended 3616"])
        #expect(bench.due == nil)
    }

    @Test("One that is raised anew is not acknowledged")
    func again() throws {
        var bench = AlarmBench([rule()])
        try bench.depth(.submergedDeep, at: 0)
        try bench.acknowledge("deep", at: 1)
        try bench.depth(.submergedShallow, at: 2)
        try bench.depth(.submergedDeep, at: 100)
        #expect(bench.log == ["deep raised 0", "deep acknowledged 1", "deep cleared 12", "deep raised 100"])
        #expect(bench.last?.acknowledgedBy == nil && bench.last?.since == .device(DeviceTime(100)))
        try bench.fire(until: 100_000)
        #expect(bench.log.count == 4)
    }

    @Test("A rule has to be true for a while, and a moment in which it is not begins that anew")
    func after() throws {
        var bench = AlarmBench([rule(after: 5)])
        try bench.depth(.submergedDeep, at: 0)
        try bench.depth(.submergedShallow, at: 4)
        try bench.depth(.submergedDeep, at: 5)
        try bench.fire(until: 9.9)
        #expect(bench.log.isEmpty)
        // What changes at the very instant is in time.
        try bench.depth(.submergedShallow, at: 10)
        try bench.fire(until: 30)
        #expect(bench.log.isEmpty)
        try bench.depth(.submergedDeep, at: 40)
        try bench.depth(.submergedDeep, at: 100)
        #expect(bench.log == ["deep raised 45"])
    }

    @Test("What is not known about depth neither clears an alarm nor goes on clearing it")
    func unknown() throws {
        for quality in [Quality.stale, .fault] {
            var bench = AlarmBench([rule()])
            try bench.depth(.submergedDeep, at: 0)
            try bench.depth(.submergedShallow, at: 1)
            try bench.depth(.unknown, at: 5, quality: quality)
            try bench.fire(until: 1_000)
            #expect(bench.log == ["deep raised 0"])
            try bench.depth(.notSubmerged, at: 2_000, quality: quality)
            try bench.fire(until: 3_000)
            #expect(bench.log == ["deep raised 0"])
            try bench.depth(.notSubmerged, at: 4_000)
            try bench.fire(until: 4_010)
            #expect(bench.log == ["deep raised 0", "deep cleared 4010"])
        }
    }

    @Test("A depth that is missing or no number is not less than a limit", arguments: [nil, Double.nan, .infinity])
    func noNumber(depth: Double?) throws {
        var bench = AlarmBench([rule("deep", AlarmCondition("depth-state", "depth", .above(30)))])
        func change(_ depth: Double?) -> DepthStateChange {
            DepthStateChange(state: .submergedDeep, previous: .submergedDeep, cause: .sample, depth: depth)
        }
        try bench.send(change(31), at: 0)
        try bench.send(change(depth), at: 1)
        try bench.fire(until: 100)
        #expect(bench.log == ["deep raised 0"] && bench.last?.value == .number(31))
        try bench.send(change(29), at: 200)
        try bench.fire(until: 210)
        #expect(bench.log == ["deep raised 0", "deep cleared 210"])
    }

    @Test("A value that expires is not known any more")
    func expires() throws {
        var bench = AlarmBench([rule()])
        try bench.depth(.submergedDeep, at: 0)
        let shallow = DepthStateChange(state: .submergedShallow, previous: .submergedDeep, cause: .sample)
        try bench.send(shallow, at: 1, validUntil: 6)
        try bench.fire(until: 1_000)
        #expect(bench.log == ["deep raised 0"])
        try bench.send(shallow, at: 2_000, validUntil: 2_006)
        try bench.send(shallow, at: 2_005, validUntil: 2_011)
        try bench.fire(until: 3_000)
        #expect(bench.log == ["deep raised 0", "deep cleared 2010"])
    }

    @Test("An alarm that changes more than five times a minute stays raised, with a count that is published once a minute")
    func flapping() throws {
        var bench = AlarmBench([rule(clear: 0)])
        for second in 0..<40 {
            try bench.depth(second.isMultiple(of: 2) ? .submergedDeep : .submergedShallow, at: Double(second))
            try bench.fire(until: Double(second) + 0.5)
        }
        #expect(
            bench.log == [
                "deep raised 0", "deep cleared 1", "deep raised x2 2", "deep cleared x2 3", "deep raised x3 4",
            ])
        try bench.fire(until: 10_000)
        #expect(bench.log.dropFirst(5) == ["deep raised x20 64", "deep cleared x20 99", "deep ended 3699"])
        // The count is of the alarm as it was raised: changes that are not published would differ after a start of the gateway.
        #expect(bench.sources.prefix(7) == [0, 1, 2, 3, 4, 4, 39])
        #expect(bench.last?.since == .device(DeviceTime(4)))
        try bench.depth(.submergedDeep, at: 20_000)
        #expect(bench.log.last == "deep raised 20000")
    }

    @Test("One that is not retained once it is cleared changes no more often")
    func flappingUnretained() throws {
        var bench = AlarmBench([rule(clear: 0)])
        bench.settings.keepSeconds = 0
        for second in 0..<40 {
            try bench.depth(second.isMultiple(of: 2) ? .submergedDeep : .submergedShallow, at: Double(second))
            try bench.fire(until: Double(second) + 0.5)
        }
        try bench.fire(until: 10_000)
        #expect(
            bench.log == [
                "deep raised 0", "deep cleared 1", "deep ended 1", "deep raised 2", "deep cleared 3", "deep ended 3",
                "deep raised 4",
                "deep raised x18 64", "deep cleared x18 99", "deep ended 99",
            ])
        #expect(bench.due == nil)
    }

    @Test("One that changes often is not cleared while nothing is known: a minute of calm is one of known values")
    func flappingIntoSilence() throws {
        var bench = AlarmBench([rule(clear: 0)])
        for second in 0..<40 {
            try bench.depth(second.isMultiple(of: 2) ? .submergedDeep : .submergedShallow, at: Double(second))
        }
        try bench.depth(.unknown, from: .submergedShallow, at: 45, quality: .stale)
        try bench.fire(until: 10_000)
        #expect(bench.last?.state == .raised)
        try bench.depth(.submergedShallow, at: 11_000)
        try bench.fire(until: 11_059)
        #expect(bench.last?.state == .raised)
        try bench.fire(until: 20_000)
        #expect(bench.log.suffix(2) == ["deep cleared x20 11060", "deep ended 14660"])
    }

    @Test("Silence raises an alarm after the last message, and any message is the end of it")
    func silence() throws {
        var bench = AlarmBench([rule("deep", clear: 0, AlarmCondition("depth-state", nil, .silent(60)))])
        try bench.fire(until: 1_000)
        #expect(bench.log.isEmpty)
        for time in [1_000.0, 1_059, 1_118] { try bench.depth(.submergedShallow, at: time) }
        try bench.fire(until: 1_177.9)
        #expect(bench.log.isEmpty)
        try bench.fire(until: 1_178)
        #expect(bench.last?.value == nil && bench.last?.field == nil && bench.last?.sourceKind == "depth-state")
        try bench.depth(.submergedShallow, at: 1_500)
        try bench.fire(until: 1_500)
        #expect(bench.log == ["deep raised 1178", "deep cleared 1500"])
    }

    @Test("An event holds for its instant")
    func event() throws {
        var bench = AlarmBench([rule("deep", AlarmCondition("impact", "peakAcceleration", .above(10)))])
        func impact(_ peak: Double) -> Impact { Impact(impactAt: DeviceTime(0), peakAcceleration: peak, axis: .x) }
        try bench.send(impact(5), at: 0)
        try bench.send(impact(12), at: 100)
        try bench.send(impact(15), at: 105)
        try bench.send(impact(5), at: 112)
        try bench.fire(until: 200)
        #expect(bench.log == ["deep raised 100", "deep cleared 115"])
        #expect(bench.last?.value == .number(12))
    }

    @Test("An event without device time that is over at once raises an alarm, and then clears it")
    func announcedEvent() {
        var settings = AlarmSettings()
        settings.written = [rule("deep", clear: 0, AlarmCondition("impact", "peakAcceleration", .above(10)))]
        var (derivation, output) = (AlarmDerivation(), DerivationOutput())
        let impact = Impact(impactAt: DeviceTime(0), peakAcceleration: 12, axis: .x)
        let event = DerivedEvent(time: DeviceTime(10_500), body: impact)
        derivation.take(.announcement(event, of: .deviceMotion, at: DeviceTime(500)), settings: settings, into: &output)
        let alarms = output.events.compactMap { $0.body as? Alarm }
        #expect(alarms.map(\.state) == [.raised, .cleared])
        #expect(alarms.map(\.since) == [.wall(UnixTime(10_500)), .wall(UnixTime(10_500))])
        #expect(alarms.map(\.clearedAt) == [nil, .wall(UnixTime(10_500))])
    }

    @Test("Rules on several kinds count the messages by their time, in whatever order they come")
    func spread() throws {
        var all = rule()
        all.conditions.append(AlarmCondition("water-temperature", "temperature", .below(10)))
        func warm(_ celsius: Double) -> WaterTemperature {
            WaterTemperature(temperature: celsius, uncertainty: 0, converged: true)
        }
        var logs: Set<[String]> = []
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
            var bench = AlarmBench([all])
            bench.isStored = true
            for index in order {
                switch index {
                case 0: try bench.depth(.submergedDeep, at: 100)
                case 1: try bench.send(warm(8), at: 101)
                case 2: try bench.depth(.submergedShallow, at: 102)
                default: try bench.send(warm(12), at: 103)
                }
            }
            try bench.fire(until: 130)
            logs.insert(bench.log)
        }
        #expect(logs == [["deep raised 101", "deep cleared 112"]])
        var any = all
        any.join = .any
        var bench = AlarmBench([any])
        try bench.send(warm(8), at: 100)
        try bench.depth(.submergedShallow, at: 101)
        try bench.send(warm(12), at: 102)
        try bench.fire(until: 130)
        #expect(bench.log == ["deep raised 100", "deep cleared 112"])
    }

    @Test("In the next boot alarms go on by its clock, and instants of the boot before are on the wall clock")
    func boots() throws {
        var derivation = AlarmDerivation()
        let settings = AlarmSettings()
        var output = DerivationOutput()
        let past = DepthStateChange(state: .pastMaxDepth, previous: .submergedDeep, cause: .sample)
        derivation.take(
            .event(DerivedEvent(time: DeviceTime(500), body: past), of: .submersion), settings: settings, into: &output)
        derivation.leaveClock(offset: 10_000)
        var next = try #require(derivation.continued())
        next.shift(by: -490)
        output = DerivationOutput()
        let up = DepthStateChange(state: .notSubmerged, previous: .unknown, cause: .sample)
        next.take(.event(DerivedEvent(time: DeviceTime(20), body: up), of: .submersion), settings: settings, into: &output)
        next.fire(until: DeviceTime(32), settings: settings, into: &output.events)
        let cleared = try #require(output.events.first?.body as? Alarm)
        #expect(
            cleared.state == .cleared && cleared.since == .wall(UnixTime(10_500)) && cleared.clearedAt == .device(DeviceTime(30)))
    }

    @Test("The source is the frame with which a change began, whatever is published again after it", arguments: [false, true])
    func sources(isStored: Bool) throws {
        var deep = rule(after: 5)
        deep.conditions.append(AlarmCondition("depth-state", "previous", .oneOf([.text("submergedDeep"), .text("unknown")])))
        var bench = AlarmBench([deep, rule("quiet", AlarmCondition("depth-state", nil, .silent(20)))])
        bench.isStored = isStored
        try bench.depth(.submergedDeep, at: 1)
        try bench.depth(.submergedDeep, from: .unknown, at: 3)
        try bench.depth(.submergedShallow, at: 20)
        // As after a restart of the gateway: another previous state.
        try bench.depth(.submergedShallow, from: .notSubmerged, at: 22)
        try bench.depth(.submergedShallow, from: .unknown, at: 24)
        try bench.fire(until: 50)
        #expect(bench.log == ["deep raised 6", "deep cleared 30", "quiet raised 44"])
        #expect(bench.sources == [1, 20, 24])
    }

    @Test("What a boot began and the next one ends has no frames: their numbers would be of another boot")
    func sourceOfBoot() throws {
        var derivation = AlarmDerivation()
        let settings = AlarmSettings()
        var output = DerivationOutput()
        for (time, state) in [(500.0, DepthState.pastMaxDepth), (505, .submergedDeep)] {
            var event = DerivedEvent(
                time: DeviceTime(time), body: DepthStateChange(state: state, previous: .submergedDeep, cause: .sample))
            event.frames = .named(UInt64(time)...UInt64(time))
            derivation.take(.event(event, of: .submersion), settings: settings, into: &output)
        }
        #expect(output.events.map(\.frames) == [.named(500...500)])
        derivation.leaveClock(offset: 10_000)
        var next = try #require(derivation.continued())
        output = DerivationOutput()
        next.fire(until: DeviceTime(520), settings: settings, into: &output.events)
        #expect((output.events.first?.body as? Alarm)?.state == .cleared)
        #expect(output.events.map(\.frames) == [.named(nil)], "frames of this boot are not its source, whatever their times")
    }

    @Test("The steps between which time is cut change nothing", arguments: 0..<20)
    func steps(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var rules = [
            rule(after: 2, clear: 3), rule("quiet", AlarmCondition("depth-state", nil, .silent(4))), rule("flap", clear: 0),
        ]
        rules[1].clearSeconds = 0
        let states: [DepthState] = [.submergedDeep, .submergedShallow, .unknown, .submergedDeep]
        var time = 100.0
        let changes = (0..<80).map { _ in
            time += Double.random(in: 0.1...6, using: &random)
            return (time, states.randomElement(using: &random) ?? .unknown)
        }
        var logs: Set<[String]> = []
        for isFine in [false, true] {
            var bench = AlarmBench(rules)
            bench.settings.keepSeconds = 30
            bench.isStored = isFine
            var now = 100.0
            for (time, state) in changes {
                while isFine, now < time - 0.7 {
                    now += 0.7
                    try bench.fire(until: now)
                }
                try bench.fire(until: time.nextDown)
                try bench.depth(state, at: time, quality: state == .unknown ? .stale : .valid)
                now = time
            }
            try bench.fire(until: time + 1_000)
            logs.insert(bench.log)
        }
        #expect(logs.count == 1 && (logs.first?.count ?? 0) > 10)
    }

    @Test("A thousand rules are indexed by kind, and those about other devices or kinds keep nothing")
    func thousand() throws {
        let rules = (0..<AlarmRule.most).map { number in
            rule(
                "rule-\(number)", AlarmCondition(number == 7 ? "depth-state" : "pace", number == 7 ? "depth" : "pace", .above(1)))
        }
        var bench = AlarmBench(rules)
        #expect(bench.settings.rules.count == AlarmRule.most)
        let change = DepthStateChange(state: .submergedShallow, previous: .notSubmerged, cause: .sample, depth: 2)
        #expect(bench.settings.table.uses(of: change).count == 1)
        try bench.send(change, at: 1)
        #expect(bench.log == ["rule-7 raised 1"])
    }

    @Test("Devices are chosen by patterns")
    func devices() throws {
        var rule = rule()
        rule.devices = ["ultra-1", "pool-*", "*x*y"]
        let expected = [
            "ultra-1": true, "ultra-11": false, "pool-": true, "pool-9": true, "a-pool-9": false, "xy": true, "axbycy": true,
            "xyz": false,
        ]
        for (name, applies) in expected { #expect(rule.applies(to: try #require(DeviceID(name))) == applies, "\(name)") }
    }

    @Test("The shipped rules name kinds, fields and values that there are")
    func shipped() throws {
        #expect(AlarmRule.shipped.map(\.name) == ["past-limit", "contact-lost", "near-limit", "refused", "silent"])
        for condition in AlarmRule.shipped.flatMap(\.conditions) {
            let kind = try #require(KindDescription.named(condition.kind))
            let field = try #require(kind.fields.first { $0.name == condition.field })
            guard case .oneOf(let values) = condition.test else { continue }
            for case .text(let text) in values { #expect(field.values.contains(text), "\(text)") }
        }
    }

    @Test("A kind that never came does not keep an alarm of any condition raised; one whose value is not known does")
    func neverReported() throws {
        var either = rule("deep", AlarmCondition("depth-state", "state", .oneOf([.text("submergedDeep")])))
        either.join = .any
        either.conditions.append(AlarmCondition("error/submersion", "code", .above(0)))
        for isKnown in [false, true] {
            var bench = AlarmBench([either])
            if isKnown {
                try bench.send(SubmersionErrorReport(code: 103, count: 1, since: DeviceTime(0)), at: 0, quality: .fault)
            }
            try bench.depth(.submergedDeep, at: 1)
            try bench.depth(.notSubmerged, at: 10)
            try bench.fire(until: 1_000)
            #expect(bench.log.contains { $0.hasPrefix("deep cleared") } == !isKnown, "\(bench.log)")
        }
    }
}
