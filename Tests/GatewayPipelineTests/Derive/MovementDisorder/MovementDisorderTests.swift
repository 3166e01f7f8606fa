import FleetSimulator
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@Suite("Apple's movement disorder results")
struct MovementDisorderTests {
    private static let unix = 1_763_744_000.0
    private static let policy = DevicePolicy.with { $0.consents = [.tremor] }

    private func harness(_ policy: DevicePolicy = policy) -> PipelineHarness {
        PipelineHarness(policy: PipelineHarness.policy("d1", policy))
    }

    private func tremor(_ start: Double, none: Double = 0.5, slight: Double = 0.3, strong: Double = 0.1) -> String {
        let unknown = 1 - none - slight - strong
        return #"{"startDate":\#(start),"endDate":\#(start + 60),"unknown":\#(unknown),"none":\#(none),"slight":\#(slight),"#
            + #""mild":0,"moderate":0,"strong":\#(strong)}"#
    }

    private func frame(_ device: inout TestDevice, uptime: Double, _ minutes: [String], _ more: String = "") -> RecordedMessage {
        device.frame("movement-disorder", uptime: uptime, #""tremor":[\#(minutes.joined(separator: ","))]\#(more)"#)
    }

    @Test("They are passed on at their own times, on the wall clock, as tremor and dyskinesia")
    func passedOn() throws {
        var device = TestDevice(offset: Self.unix)
        var harness = harness()
        // Two days before the boot.
        let start = Self.unix - 172_800
        let dyskinesia = #","dyskinesia":[{"startDate":\#(start),"endDate":\#(start + 60),"unlikely":0.75,"likely":0.25}]"#
        let messages = harness.send(frame(&device, uptime: 100, [tremor(start + 60), tremor(start)], dyskinesia))
        let found = messages.filter { $0.kind == "tremor" }
        #expect(found.compactMap { $0.number("start") } == [start, start + 60])
        let first = try #require(found.first)
        #expect(first.number("end") == start + 60 && first.number("at") == start + 60)
        #expect(first.text("method") == "apple" && first.text("notice") == "research")
        #expect(first.number("none") == 0.5 && first.number("slight") == 0.3 && first.number("severe") == 0.1)
        #expect(abs((first.number("coverage") ?? 0) - 0.9) < 1e-9)
        #expect(first.isNull("deviceTime") && first.isNull("frequency") && first.isNull("amplitude"))
        let other = try #require(messages.first { $0.kind == "dyskinesia" })
        #expect(other.number("likely") == 0.25 && other.number("unlikely") == 0.75 && other.text("method") == "apple")
        #expect(messages.first { $0.kind == "access/movement-disorder" }?.flag("allowed") == true)
    }

    @Test("A minute that is sent again is published with other values only, also after a restart of the device")
    func again() throws {
        var device = TestDevice(offset: Self.unix)
        var harness = harness()
        let start = Self.unix - 3_600
        let first = harness.send(frame(&device, uptime: 100, [tremor(start), tremor(start + 60)])).filter { $0.kind == "tremor" }
        #expect(first.count == 2)
        let repeated = harness.send(frame(&device, uptime: 101, [tremor(start), tremor(start + 60)]))
        #expect(repeated.allSatisfy { $0.kind != "tremor" })
        var rebooted = TestDevice(boot: "b2", offset: Self.unix + 200)
        let revised = harness.send(frame(&rebooted, uptime: 10, [tremor(start, none: 0.6), tremor(start + 60)]))
            .filter { $0.kind == "tremor" }
        #expect(revised.compactMap { $0.number("start") } == [start])
        #expect(revised.first?.number("revision") == 1)
        #expect(revised.first?.text("id") != first.first?.text("id"))
    }

    @Test("Frames count by seq like others: a repeated one is none, and one that is missing is awaited")
    func order() {
        var device = TestDevice(offset: Self.unix)
        let frames = (0..<3).map { frame(&device, uptime: 100 + Double($0), [tremor(Self.unix + 60 * Double($0) - 3_600)]) }
        func starts(_ order: [Int]) -> [Double] {
            var harness = harness()
            return order.flatMap { index -> [DerivedJSON] in
                var message = frames[index]
                message.at = frames[2].at
                return harness.send(message)
            }.filter { $0.kind == "tremor" }.compactMap { $0.number("start") }
        }
        #expect(starts([0, 1, 2]).count == 3)
        #expect(starts([0, 2, 1, 1, 2]) == starts([0, 1, 2]))
    }

    @Test("Without the entitlement they are refused with 110, without consent nothing is published, without the sensor 109")
    func access() {
        func run(_ change: (inout DevicePolicy) -> Void, status: String? = nil) -> (access: DerivedJSON?, count: Int) {
            var policy = Self.policy
            change(&policy)
            var (device, harness) = (TestDevice(offset: Self.unix), harness(policy))
            var messages: [DerivedJSON] = []
            if let status { messages += harness.send(device.status(uptime: 90, status)) }
            messages += harness.send(frame(&device, uptime: 100, [tremor(Self.unix)]))
            return (messages.last { $0.kind == "access/movement-disorder" }, messages.count { $0.kind == "tremor" })
        }
        let entitled = run { _ in }
        #expect(entitled.access?.flag("allowed") == true && entitled.count == 1)
        let refused = run { $0.hasMovementDisorder = false }
        #expect(refused.access?.number("code") == 110 && refused.access?.text("reason") == "notEntitled" && refused.count == 0)
        let withheld = run { $0.consents = [.sleep] }
        #expect(withheld.access?.flag("allowed") == true && withheld.count == 0)
        let missing = run({ _ in }, status: #","available":{"movementDisorder":false}"#)
        #expect(missing.access?.number("code") == 109 && missing.count == 0)
    }

    @Test("A rule on them raises an alarm at the end of the minute, on the wall clock")
    func alarm() throws {
        let rule = AlarmRule("moving", .warning, [AlarmCondition("dyskinesia", "likely", .above(0.2))])
        let settings = PipelineSettings.with { $0.derive[AlarmDerivation.self].written = [rule] }
        var harness = PipelineHarness(settings: settings, policy: PipelineHarness.policy("d1", Self.policy))
        var device = TestDevice(offset: Self.unix)
        let start = Self.unix - 3_600
        let dyskinesia = #","dyskinesia":[{"startDate":\#(start),"endDate":\#(start + 60),"unlikely":0.75,"likely":0.25}]"#
        let messages = harness.send(frame(&device, uptime: 100, [tremor(start)], dyskinesia))
        let raised = try #require(messages.first { $0.kind == "alarm/moving" })
        #expect(raised.text("state") == "raised" && raised.number("value") == 0.25 && raised.isNull("deviceTime"))
        #expect(raised.number("since") == start + 60 && raised.number("at") == start + 60)
        let later = harness.tick(at: Self.unix + 300).filter { $0.kind == "alarm/moving" }
        #expect(later.map { $0.text("state") } == ["cleared"])
    }

    @Test("What is remembered of a week of minutes is bounded")
    func bounded() throws {
        var (derivation, most) = (MovementDisorderDerivation(), 0)
        let settings = MovementDisorderSettings.with { $0.isPermitted = true }
        for day in 0..<12 {
            for quarter in 0..<6 {
                let results = (0..<240).map { minute in
                    let start = UnixTime(Self.unix + Double(day * 86_400 + quarter * 14_400 + minute * 60))
                    return TremorResult(start: start, end: start + 60, unknown: 1)
                }
                #expect(derivation.take(MovementDisorderResults(tremor: results), settings).count == 240)
            }
            most = max(most, try StateCoder.encode(derivation).count)
        }
        #expect(most < 150_000)
        Truth.row(
            "tremor, dyskinesia", data: "simulated results of Apple's", "greatest state, bytes", "\(most)", goal: "< 150000")
    }

    @Test("The simulated sleeper's night is passed on")
    func simulated() throws {
        let sleeper = Sleeper(DeviceOrigin(device: "d1", unix: Self.unix, uptime: 100, seed: 7, duration: 2))
        let messages = PipelineHarness.run(sleeper, policy: PipelineHarness.policy("d1", Self.policy))
        let found = messages.filter { $0.kind == "tremor" }
        #expect(found.count == sleeper.tremor.count && found.count > 500)
        #expect(zip(found, sleeper.tremor).allSatisfy { abs(($0.number("start") ?? 0) - $1.start) < 1e-5 })
        #expect(zip(found, sleeper.tremor).allSatisfy { $0.number("slight") == $1.slight })
        #expect(messages.contains { $0.kind == "dyskinesia" })
    }
}
