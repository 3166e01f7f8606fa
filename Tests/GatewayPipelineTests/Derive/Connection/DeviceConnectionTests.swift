import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Device connection")
struct DeviceConnectionTests {
    private var device = DeviceConnectionDerivation()
    private let settings = DeviceConnectionSettings()

    @Test("a status is taken over, each once")
    mutating func statuses() {
        #expect(status(.online, 1) == [Transition(1, nil, .connected, .reported)])
        #expect(status(.online, 2) == [])
        #expect(status(.offline, 3) == [Transition(3, .connected, .disconnected, .reported)])
        #expect(status(.offline, 4) == [])
        #expect(status(.online, 5) == [Transition(5, .disconnected, .connected, .reported)])
    }

    @Test("a device with no status is connected by its data")
    mutating func dataFirst() {
        #expect(activity(7, 8) == [Transition(7, nil, .connected, .dataResumed)])
        #expect(status(.online, 8.5) == [])
    }

    @Test(
        "a last will disconnects, and at the last data if it was estimated earlier",
        arguments: [(20.0, 20.0), (9.0, 12.0)])
    mutating func lastWill(estimate: Double, time: Double) {
        _ = activity(10, 12)
        #expect(will(estimate) == [Transition(time, .connected, .disconnected, .lastWill)])
        #expect(will(estimate) == [])
    }

    @Test("a last will of a device without state is a transition without a previous state")
    mutating func firstWill() {
        #expect(will(3) == [Transition(3, nil, .disconnected, .lastWill)])
    }

    @Test("a reported offline from before data already seen changes nothing")
    mutating func lateOffline() {
        _ = activity(10, 12)
        #expect(status(.offline, 11) == [])
        #expect(status(.offline, 12) == [Transition(12, .connected, .disconnected, .reported)])
    }

    @Test("a frame after a disconnect means connected; one from before changes nothing; one across it counts as sent")
    mutating func dataAfterDisconnect() {
        _ = status(.online, 1)
        _ = will(20)
        #expect(activity(18, 20) == [])
        #expect(activity(19, 21) == [Transition(21, .disconnected, .connected, .dataResumed)])
        _ = will(30)
        #expect(activity(31, 32) == [Transition(31, .disconnected, .connected, .dataResumed)])
    }

    @Test("without a stream with a nominal rate silence does not count")
    mutating func quietStreams() {
        _ = status(.online, 1)
        _ = activity(2, 3, nominal: false)
        #expect(device.due(settings: settings) == nil)
        #expect(activity(5000, 5001, nominal: false) == [])
    }

    @Test("with a stream with a nominal rate, silence is published at its due time")
    mutating func silence() {
        _ = status(.online, 1)
        _ = activity(2, 3)
        #expect(device.due(settings: settings) == DeviceTime(33))
        #expect(device.wait(until: 32.9, settings).isEmpty)
        #expect(device.wait(until: 33, settings).transitions == [Transition(33, .connected, .silent, .silence)])
        #expect(activity(40, 41) == [Transition(40, .silent, .connected, .dataResumed)])
    }

    @Test("a gap between frames gives the same result as a timer")
    mutating func gapBetweenFrames() {
        _ = activity(1, 2)
        #expect(activity(32, 33) == [])
        #expect(
            activity(63.1, 64) == [
                Transition(63, .connected, .silent, .silence), Transition(63.1, .silent, .connected, .dataResumed),
            ])
    }

    @Test("any frame and any status is activity")
    mutating func signsOfLife() {
        _ = activity(1, 2)
        _ = activity(20, 20, nominal: false)
        #expect(device.due(settings: settings) == DeviceTime(50))
        _ = status(.online, 25)
        #expect(device.due(settings: settings) == DeviceTime(55))
    }

    @Test("a stream whose last data are older than the limit is over, and silence no longer counts")
    mutating func streamOver() {
        _ = activity(1, 2)
        _ = activity(20, 20, nominal: false)
        _ = activity(32, 32, nominal: false)
        #expect(device.due(settings: settings) == nil)
    }

    @Test("after a disconnect a stream counts only once it has brought data again")
    mutating func streamOfEarlierConnection() {
        _ = activity(1, 2)
        _ = status(.offline, 3)
        _ = status(.online, 4)
        #expect(device.due(settings: settings) == nil)
        _ = activity(5, 6)
        #expect(device.due(settings: settings) == DeviceTime(36))
    }

    @Test("recorded history counts at the time it is sent")
    mutating func history() {
        _ = activity(100, 101)
        _ = status(.offline, 102)
        #expect(activity(3, 150, nominal: false) == [Transition(150, .disconnected, .connected, .dataResumed)])
    }

    @Test("a status that arrives after the silence it contradicts brings the device back")
    mutating func lateSignOfLife() {
        _ = activity(1, 2)
        _ = device.wait(until: 32, settings)
        #expect(status(.online, 31) == [Transition(31, .silent, .connected, .dataResumed)])
    }

    @Test(
        "a new boot's first connection is a reboot from the state before, by status or by data",
        arguments: [ConnectionState.connected, .disconnected, .silent], [true, false])
    mutating func reboot(previous: ConnectionState, isStatus: Bool) {
        _ = activity(100, 101)
        if previous == .disconnected { _ = will(102) }
        if previous == .silent { _ = device.wait(until: 131, settings) }
        device = DeviceConnectionDerivation(rebooting: device)
        #expect(device.due(settings: settings) == nil)
        let transitions = isStatus ? status(.online, 2) : activity(2, 3)
        #expect(transitions == [Transition(2, previous, .connected, .reboot)])
        #expect(activity(4, 5) == [])
        #expect(status(.offline, 6) == [Transition(6, .connected, .disconnected, .reported)])
        #expect(status(.online, 7) == [Transition(7, .disconnected, .connected, .reported)])
    }

    @Test("the first boot of all is no reboot")
    mutating func firstBoot() {
        device = DeviceConnectionDerivation(rebooting: device)
        #expect(status(.online, 2) == [Transition(2, nil, .connected, .reported)])
    }

    @Test("saving the state before every step changes nothing", arguments: 0..<20)
    func saved(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var clock = 0.0
        let inputs = (0..<60).map { _ -> DeviceConnectionDerivation.Input in
            clock += Double.random(in: 0...40, using: &generator)
            let time = DeviceTime(clock)
            return switch Int.random(in: 0..<6, using: &generator) {
            case 0: .status(.online, at: time, isLastWill: false)
            case 1: .status(.offline, at: time - 1, isLastWill: Bool.random(using: &generator))
            default: .activity(from: time - 1, to: time, nominalRate: Bool.random(using: &generator))
            }
        }
        let events = try DeviceConnectionDerivation.run(inputs, settings)
        #expect(try DeviceConnectionDerivation.run(inputs, settings, saving: true) == events)
        for (before, after) in zip(events.transitions, events.transitions.dropFirst()) {
            #expect(after.previous == before.state && after.state != before.state)
        }
    }

    private mutating func status(_ state: DeviceStatus.State, _ seconds: Double) -> [Transition] {
        device.take(.status(state, at: DeviceTime(seconds), isLastWill: false), settings).transitions
    }

    private mutating func will(_ seconds: Double) -> [Transition] {
        device.take(.status(.offline, at: DeviceTime(seconds), isLastWill: true), settings).transitions
    }

    private mutating func activity(_ from: Double, _ to: Double, nominal: Bool = true) -> [Transition] {
        device.take(.activity(from: DeviceTime(from), to: DeviceTime(to), nominalRate: nominal), settings).transitions
    }
}
