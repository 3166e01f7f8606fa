import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("The kinds that a pipeline reports")
struct KindReportTests {
    private var harness: PipelineHarness
    private let d1: DeviceID

    init() throws {
        d1 = try #require(DeviceID("d1"))
        harness = PipelineHarness(settings: .with { $0.reportsKinds = true })
    }

    private func derived(_ kind: String, _ model: String? = nil) -> KindReport { .derived(kind: kind, device: d1, model: model) }

    @Test("each kind is reported once, with the device's model")
    mutating func once() {
        var device = TestDevice()
        _ = harness.send(device.status(uptime: 99, #","model":"Watch6,18""#))
        #expect(harness.pipeline.takeKindReports() == [derived("connection/device", "Watch6,18")])
        _ = harness.send([device.depth(3, uptime: 100), device.depth(4, uptime: 101)])
        #expect(
            harness.pipeline.takeKindReports()
                == [derived("access/submersion", "Watch6,18"), derived("depth-state", "Watch6,18")])
        _ = harness.send(device.depth(0.5, uptime: 102))
        #expect(harness.pipeline.takeKindReports().isEmpty)
    }

    @Test("another model is reported with every kind of the device")
    mutating func model() {
        var device = TestDevice()
        _ = harness.send([device.depth(3, uptime: 100)])
        let kinds = Set(harness.pipeline.takeKindReports().map(\.kind))
        _ = harness.send(device.status(uptime: 101, #","model":"Watch7,5""#))
        let reports = harness.pipeline.takeKindReports()
        #expect(Set(reports.map(\.kind)) == kinds)
        #expect(reports.allSatisfy { $0.model == "Watch7,5" })
    }

    @Test("a device that clears its status is forgotten, and its kinds are reported anew")
    mutating func cleared() {
        var device = TestDevice()
        _ = harness.send([device.status(uptime: 99), device.depth(3, uptime: 100)])
        _ = harness.pipeline.takeKindReports()
        _ = harness.send(device.raw("status", at: device.offset + 101, retain: true, ""))
        #expect(harness.pipeline.takeKindReports() == [.forgotten(d1)])
        _ = harness.send(device.depth(3, uptime: 102))
        #expect(harness.pipeline.takeKindReports().contains(derived("depth-state")))
    }

    @Test("a revoked device is forgotten")
    mutating func revoked() {
        var device = TestDevice()
        _ = harness.send(device.depth(3, uptime: 100))
        _ = harness.pipeline.takeKindReports()
        _ = harness.replace(policy: AccessPolicy())
        #expect(harness.pipeline.takeKindReports().last == .forgotten(d1))
    }

    @Test("a restored device has the retained kinds that it had")
    mutating func restored() throws {
        var device = TestDevice()
        _ = harness.send([device.status(uptime: 99), device.depth(3, uptime: 100)])
        var later = try harness.restarted(at: 1_763_744_200)
        #expect(
            Set(later.pipeline.takeKindReports().map(\.kind)).isSuperset(of: [
                "connection/device", "depth-state", "access/submersion",
            ]))
    }

    @Test("nothing is reported unless that is asked for")
    func off() {
        var harness = PipelineHarness()
        var device = TestDevice()
        _ = harness.send(device.depth(3, uptime: 100))
        _ = harness.replace(policy: AccessPolicy())
        #expect(harness.pipeline.takeKindReports().isEmpty)
    }
}

extension KindReport {
    fileprivate var kind: String? { if case .derived(let kind, _, _) = self { kind } else { nil } }
    fileprivate var model: String? { if case .derived(_, _, let model) = self { model } else { nil } }
}
