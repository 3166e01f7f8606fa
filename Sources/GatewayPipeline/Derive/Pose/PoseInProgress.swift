import SignalProcessing
import TelemetryModel

/// A pose that is held.
struct PoseInProgress: Sendable, Equatable, Codable {
    /// Its template.
    let template: PoseTemplate
    /// The first sample in s.
    let start: Double
    /// The smoothness and the length in s of the way there.
    var approach: PoseApproach.Result?
    /// The last sample that kept the pose, in s.
    private(set) var end: Double
    /// The first sample that left it, while it may still be a slip, in s.
    private(set) var leavingSince: Double?
    private var sums: GravitySums
    private var leaving = GravitySums()
    /// The sums of the last whole seconds, oldest first.
    private var seconds: [GravitySums]
    private var second: Double

    /// The seconds over which the sway is measured.
    private static let swaySeconds = 10

    /// A pose from `start`, whose samples so far, up to `end`, are in `sums`.
    init(template: PoseTemplate, start: Double, end: Double, sums: GravitySums) {
        self.template = template
        self.start = start
        self.end = end
        self.sums = sums
        seconds = [sums]
        second = end.rounded(.down)
    }

    /// Adds a sample that may leave the pose; returns whether the pose has ended.
    mutating func add(time: Double, _ gravity: SIMD3<Double>, deviation: Double, leaves: Bool, after limit: Double) -> Bool {
        if leaves {
            leavingSince = leavingSince ?? time
            leaving.add(gravity, deviation: deviation)
            return time - (leavingSince ?? time) >= limit - 1e-6
        }
        if time.rounded(.down) > second {
            second = time.rounded(.down)
            seconds = (seconds + [GravitySums()]).suffix(Self.swaySeconds)
        }
        if leavingSince != nil {
            sums.add(leaving)
            seconds[seconds.count - 1].add(leaving)
            leavingSince = nil
            leaving = GravitySums()
        }
        sums.add(gravity, deviation: deviation)
        seconds[seconds.count - 1].add(gravity)
        end = time
        return false
    }

    /// The RMS angle from the hold's own mean over the last 10 s, in rad.
    var recentSway: Double {
        let recent = seconds.reduce(into: GravitySums()) { $0.add($1) }
        return recent.distance(from: sums.mean)
    }

    /// The hold, when it has ended.
    var hold: PoseHold {
        PoseHold(
            pose: template.name, start: DeviceTime(start), end: DeviceTime(end), sway: sums.distance(from: sums.mean),
            greatest: sums.greatest, grace: approach?.grace, transition: approach?.seconds)
    }
}
