import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Headphone connection")
struct HeadphoneConnectionTests {
    private typealias Input = HeadphoneConnectionDerivation.Input
    private var headphones = HeadphoneConnectionDerivation()
    private let settings = HeadphoneConnectionSettings()

    @Test("the first samples mean connected, with nothing known before")
    mutating func firstSamples() {
        let events = headphones.take(.samples(.still(at: [5, 5.04])), settings)
        #expect(events.transitions == [Transition(5, nil, .connected, .dataResumed)])
    }

    @Test("reports are taken over, each once")
    mutating func reports() {
        #expect(report(.didConnect, 1) == [Transition(1, nil, .connected, .reported)])
        #expect(report(.didConnect, 2) == [])
        #expect(report(.didDisconnect, 3) == [Transition(3, .connected, .disconnected, .reported)])
        #expect(report(.didDisconnect, 4) == [])
        #expect(report(.didConnect, 5) == [Transition(5, .disconnected, .connected, .reported)])
    }

    @Test("a first report of a disconnect is a transition without a previous state")
    mutating func firstDisconnect() {
        #expect(report(.didDisconnect, 3) == [Transition(3, nil, .disconnected, .reported)])
    }

    @Test("samples up to a disconnect change nothing; the first one after it means connected")
    mutating func samplesAroundDisconnect() {
        _ = headphones.take(.samples(.still(at: [9])), settings)
        _ = report(.didDisconnect, 10)
        #expect(samples([9.5, 10]) == [])
        #expect(samples([9.9, 10.1, 10.2]) == [Transition(10.1, .disconnected, .connected, .dataResumed)])
    }

    @Test("samples from before a disconnect start no silence after the connect that followed it")
    mutating func lateSamplesAfterReconnecting() {
        _ = report(.didDisconnect, 10)
        _ = report(.didConnect, 11)
        #expect(samples([9.9, 10, 10.5]) == [])
        #expect(headphones.due(settings: settings) == DeviceTime(13))
        #expect(samples([11.1]) == [])
        #expect(headphones.due(settings: settings) == DeviceTime(13.1))
    }

    @Test("a disconnect from before samples already seen changes nothing; at the last sample it counts")
    mutating func lateDisconnect() {
        _ = samples([9, 9.5, 10])
        #expect(report(.didDisconnect, 9.2) == [])
        #expect(samples([10.04]) == [])
        #expect(report(.didDisconnect, 10.04) == [Transition(10.04, .connected, .disconnected, .reported)])
    }

    @Test("a report older than the last one changes nothing")
    mutating func overtakenReports() {
        _ = report(.didConnect, 5)
        #expect(report(.didDisconnect, 4) == [])
        _ = report(.didDisconnect, 8)
        #expect(report(.didConnect, 7) == [])
    }

    @Test("a late disconnect ends a silent connection; a late connect does not restore it")
    mutating func lateReportsAfterSilence() {
        _ = samples([10])
        _ = headphones.wait(until: 20, settings)
        #expect(report(.didConnect, 11) == [])
        #expect(report(.didDisconnect, 11.5) == [Transition(11.5, .silent, .disconnected, .reported)])
    }

    @Test("silence is published at its due time, not when it is detected, and is derived from the last sample")
    mutating func silence() throws {
        _ = samples([10, 10.5])
        #expect(headphones.due(settings: settings) == DeviceTime(12.5))
        #expect(headphones.wait(until: 12.4999, settings).isEmpty)
        let events = headphones.wait(until: 60, settings)
        #expect(events.transitions == [Transition(12.5, .connected, .silent, .silence)])
        #expect(events.first?.quality == .stale)
        #expect(events.first?.span == DeviceTime(10.5)...DeviceTime(10.5))
        #expect(headphones.due(settings: settings) == nil)
        #expect(samples([70]) == [Transition(70, .silent, .connected, .dataResumed)])
    }

    @Test("silence counts from a connection that has had no sample, on connecting and on connecting again")
    mutating func connectedWithoutMotion() {
        _ = report(.didConnect, 1)
        #expect(headphones.due(settings: settings) == DeviceTime(3))
        _ = samples([2])
        #expect(headphones.due(settings: settings) == DeviceTime(4))
        _ = report(.didDisconnect, 3)
        #expect(headphones.due(settings: settings) == nil)
        _ = report(.didConnect, 3.5)
        #expect(headphones.due(settings: settings) == DeviceTime(5.5))
    }

    @Test("a report while connected does not prolong silence")
    mutating func reportIsNoSample() {
        _ = samples([10])
        #expect(report(.didConnect, 11) == [])
        #expect(
            report(.didConnect, 13) == [
                Transition(12, .connected, .silent, .silence), Transition(13, .silent, .connected, .reported),
            ])
    }

    @Test("a disconnect after silence follows the silent transition that was due")
    mutating func disconnectAfterSilence() {
        _ = samples([10])
        #expect(
            report(.didDisconnect, 15) == [
                Transition(12, .connected, .silent, .silence), Transition(15, .silent, .disconnected, .reported),
            ])
    }

    @Test("a gap longer than the limit is silence, the limit itself is not", arguments: [(1.99, 0), (2, 0), (2.01, 2)])
    mutating func gapBoundary(gap: Double, count: Int) {
        #expect(samples([10, 10 + gap]).dropFirst().count == count)
    }

    @Test("a lag allowance prolongs the limit")
    mutating func lagAllowance() {
        let patient = HeadphoneConnectionSettings.with { $0.lagAllowanceSeconds = 10 }
        #expect(headphones.take(.samples(.still(at: [10, 21.9])), patient).transitions.count == 1)
        #expect(headphones.due(settings: patient) == DeviceTime(33.9))
    }

    @Test("every limit finds the dropouts longer than it, where they are", arguments: [1.0, 2, 5])
    func dropouts(limit: Double) throws {
        let runs = [(10.0, 14.0), (15.0, 16.0), (17.5, 20.0), (23.0, 25.0), (31.0, 33.0)]
        let inputs = runs.map { Input.samples(.still(from: $0.0, to: $0.1)) }
        var expected = [Transition(10, nil, .connected, .dataResumed)]
        for (before, after) in zip(runs, runs.dropFirst()) where after.0 - before.1 > limit {
            expected.append(Transition(before.1 + limit, .connected, .silent, .silence))
            expected.append(Transition(after.0, .silent, .connected, .dataResumed))
        }
        let events = try HeadphoneConnectionDerivation.run(inputs, .with { $0.silenceSeconds = limit })
        #expect(events.transitions == expected)
    }

    private mutating func report(_ event: HeadphoneConnectionEvent.Event, _ seconds: Double) -> [Transition] {
        headphones.take(.event(.init(event: event, time: DeviceTime(seconds))), settings).transitions
    }

    private mutating func samples(_ times: [Double]) -> [Transition] {
        headphones.take(.samples(.still(at: times)), settings).transitions
    }

    @Test("headphones that were connected are silent with the end of a boot: the next may be without them")
    func reboot() {
        var device = TestDevice()
        var harness = PipelineHarness()
        _ = harness.send(device.stillHead(uptime: 100))
        var restarted = TestDevice("d1", boot: "b2", offset: device.offset + 99)
        let messages = harness.send(restarted.depth(0, uptime: 2)).filter { $0.kind == "connection/headphone" }
        #expect(messages.map { $0.text("state") } == ["silent"])
        let back = harness.send(restarted.stillHead(uptime: 3)).filter { $0.kind == "connection/headphone" }
        #expect(back.map { $0.text("state") } == ["connected"])
    }
}
