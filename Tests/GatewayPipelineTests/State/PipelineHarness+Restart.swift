import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

extension DeviceState {
    /// What is read from the stored form of this state of `device`; without the frames that wait where `keepsWaiting` is false.
    func readBack(of device: DeviceID, keepsWaiting: Bool = true) throws -> DeviceState {
        let change = try self.change(of: device)
        let parts = Dictionary(uniqueKeysWithValues: change.parts.map { ($0.name, $0) })
        var dropped: [DroppedPart] = []
        let state = DeviceState(
            StoredState(device: device, parts: parts, waiting: keepsWaiting ? change.waiting : []), dropped: &dropped)
        #expect(dropped.isEmpty)
        return state
    }
}

extension PipelineHarness {
    /// Another gateway, with the same settings and policy, that reads the state of the device from its stored form.
    func restarted(
        at unix: Double, of id: DeviceID? = DeviceID("d1"), keepsWaiting: Bool = true, history: (any HistoryReader)? = nil
    ) throws -> PipelineHarness {
        let device = try #require(id)
        let state = try #require(pipeline.state(of: device)).readBack(of: device, keepsWaiting: keepsWaiting)
        var next = PipelineHarness(settings: pipeline.settings, policy: pipeline.policy, history: history)
        _ = next.pipeline.restore(state, of: device, at: GatewayTime(unix: UnixTime(unix), monotonic: unix))
        return next
    }
}
