import GatewayPipeline
import TelemetryModel

/// A published pose with its time.
struct TimedPose: Equatable {
    var time: DeviceTime
    var pose: HeadPose
}

extension [DerivedEvent] {
    /// The poses among the events.
    var poses: [TimedPose] {
        compactMap { event in
            guard let pose = event.body as? HeadPose else { return nil }
            return TimedPose(time: event.time, pose: pose)
        }
    }
}
