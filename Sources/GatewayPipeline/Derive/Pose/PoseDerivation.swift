internal import SignalProcessing
package import TelemetryModel

/// `pose` and `pose-hold`: whether gravity has the direction of a template, and how still it is held.
///
/// Gravity alone is used, because a yaw drifts. A rotation about the vertical changes nothing, so two poses that differ by one only
/// cannot be told apart.
package struct PoseDerivation: Derivation {
    /// The input of poses.
    package enum Input: Sendable, Equatable {
        /// Device motion.
        case samples(MotionSamples)
        /// The next calm moment from an instant on becomes a template.
        case learn(String, DeviceTime)
        /// A template is dropped.
        case forget(String)
    }

    /// `bodyPose`, as `headPose` is another.
    package static let declaration = DerivationDeclaration(
        "bodyPose", version: 1, streams: [.deviceMotion, .command], kinds: [Pose.self, PoseHold.self], isOnByDefault: false,
        decidesAtEnd: true, "Poses, how still they are held, and how smooth the way there is.")

    private struct Learning: Sendable, Equatable, Codable {
        var name: String
        var after: Double
        var start: Double?
        var sums = GravitySums()
    }

    private struct Candidate: Sendable, Equatable, Codable {
        var template: PoseTemplate
        var start: Double
        var sums = GravitySums()
    }

    /// The templates that the device has learned.
    private var learned: [PoseTemplate] = []
    private var learning: Learning?
    private var candidate: Candidate?
    private var held: PoseInProgress?
    private var approach = PoseApproach()
    private var newest: Double?
    private var publishedAt: Double?
    private var publishedPose: String?

    private static let mostLearned = 20
    /// The longest gap in the samples of a hold, in s.
    private static let longestGap = 1.0
    private static let degree = Double.pi / 180

    /// No sample, nothing learned.
    package init() {}

    /// The samples, or a command about templates.
    package static func input(of frame: NormalizedFrame, settings: PoseSettings) -> Input? {
        switch frame.body {
        case .deviceMotion(let samples): .samples(samples)
        case .command(.learnPose(let name)): .learn(name, frame.header.uptime)
        case .command(.forgetPose(let name)): .forget(name)
        default: nil
        }
    }

    /// Takes one frame's samples; those not later than the newest one before, or without a direction of gravity, are ignored.
    package mutating func consume(_ input: Input, settings: PoseSettings, into events: inout [DerivedEvent]) {
        switch input {
        case .learn(let name, let time): learning = Learning(name: name, after: time.seconds)
        case .forget(let name): learned.removeAll { $0.name == name }
        case .samples(let samples):
            for index in samples.timestamp.indices {
                let time = samples.timestamp[index]
                let rate = samples.rotationRate[index]
                let turned = settings.turnsAxes ? SIMD3(-1.0, -1, 1) : SIMD3(1, 1, 1)
                let gravity = samples.gravity[index] * turned
                let length = (gravity * gravity).sum().squareRoot()
                let speed = (rate * rate).sum().squareRoot()
                guard time.isFinite, time > newest ?? -.infinity, length > 0.5, length < 1.5, speed.isFinite else { continue }
                take(time, gravity / length, speed: speed, settings, into: &events)
            }
        }
    }

    /// When a pose that gets no more samples has ended.
    package func due(settings: PoseSettings) -> DeviceTime? {
        guard held != nil, let newest else { return nil }
        return DeviceTime(newest) + settings.validSeconds
    }

    /// Ends the pose, if that is due at `now`.
    package mutating func fire(until now: DeviceTime, settings: PoseSettings, into events: inout [DerivedEvent]) {
        guard let due = due(settings: settings), due <= now else { return }
        end(into: &events)
    }

    /// The templates that were learned.
    package func continued() -> Self? { learned.isEmpty ? nil : Self().taking(\.learned, of: self) }

    /// Goes on with what the boot in between has added.
    package func resumed(after other: Self) -> Self? { taking(\.learned, of: other) }

    // MARK: Samples

    private mutating func take(
        _ time: Double, _ gravity: SIMD3<Double>, speed: Double, _ settings: PoseSettings, into events: inout [DerivedEvent]
    ) {
        if let newest, time - newest > Self.longestGap {
            if held != nil { end(into: &events) }
            candidate = nil
            learning?.start = nil
            learning?.sums = GravitySums()
            approach.removeAll()
        }
        newest = time
        let still = settings.stillDegreesPerSecond * Self.degree
        learn(time, gravity, isStill: speed < still, settings)
        // While a pose is held too: the way to the next one begins before this one has ended.
        approach.add(time: time, speed: speed, still: still, pause: settings.enterSeconds + 1)
        if held == nil {
            enter(time, gravity, isStill: speed < still, settings)
        } else {
            keep(time, gravity, speed: speed, settings, into: &events)
        }
        publish(at: time, gravity, settings, into: &events)
    }

    private mutating func enter(_ time: Double, _ gravity: SIMD3<Double>, isStill: Bool, _ settings: PoseSettings) {
        guard isStill, let (nearest, angle) = nearest(to: gravity, settings), angle < settings.enterDegrees * Self.degree else {
            candidate = nil
            return
        }
        if candidate?.template != nearest { candidate = Candidate(template: nearest, start: time) }
        candidate?.sums.add(gravity, deviation: angle)
        guard let found = candidate, time - found.start >= settings.enterSeconds - 1e-6 else { return }
        var held = PoseInProgress(template: found.template, start: found.start, end: time, sums: found.sums)
        held.approach = approach.result(still: settings.stillDegreesPerSecond * Self.degree)
        self.held = held
        candidate = nil
        approach.removeAll()
    }

    private func nearest(to gravity: SIMD3<Double>, _ settings: PoseSettings) -> (template: PoseTemplate, angle: Double)? {
        var nearest: (template: PoseTemplate, angle: Double)?
        for templates in [settings.templates, learned] {
            for template in templates {
                let angle = template.angle(to: gravity)
                if angle < nearest?.angle ?? .infinity { nearest = (template, angle) }
            }
        }
        return nearest
    }

    private mutating func keep(
        _ time: Double, _ gravity: SIMD3<Double>, speed: Double, _ settings: PoseSettings, into events: inout [DerivedEvent]
    ) {
        guard let template = held?.template else { return }
        let deviation = template.angle(to: gravity)
        let leaves =
            deviation > settings.leaveDegrees * Self.degree || speed > settings.leaveDegreesPerSecond * Self.degree
        let hasEnded = held?.add(
            time: time, gravity, deviation: deviation, leaves: leaves, after: settings.leaveSeconds)
        if hasEnded == true { end(into: &events) }
    }

    private mutating func end(into events: inout [DerivedEvent]) {
        guard let hold = held?.hold else { return }
        held = nil
        events.append(DerivedEvent(time: hold.end, span: hold.start...hold.end, body: hold))
    }

    /// Publishes the pose, or that there is none; nothing where no pose is known.
    private mutating func publish(
        at time: Double, _ gravity: SIMD3<Double>, _ settings: PoseSettings, into events: inout [DerivedEvent]
    ) {
        guard held != nil || !settings.templates.isEmpty || !learned.isEmpty else { return }
        let name = held?.template.name
        if let publishedAt, publishedPose == name, time - publishedAt < settings.intervalSeconds - 1e-6 { return }
        (publishedAt, publishedPose) = (time, name)
        let pose = held.map {
            Pose(
                pose: $0.template.name, since: DeviceTime($0.start), deviation: $0.template.angle(to: gravity),
                sway: $0.recentSway)
        }
        events.append(
            DerivedEvent(
                time: DeviceTime(time), validUntil: DeviceTime(time) + settings.validSeconds, body: pose ?? Pose()))
    }

    private mutating func learn(_ time: Double, _ gravity: SIMD3<Double>, isStill: Bool, _ settings: PoseSettings) {
        guard var learning, time >= learning.after else { return }
        if !isStill { (learning.start, learning.sums) = (nil, GravitySums()) }
        if isStill {
            learning.start = learning.start ?? time
            learning.sums.add(gravity)
        }
        self.learning = learning
        guard let start = learning.start, time - start >= settings.learnSeconds - 1e-6,
            let template = PoseTemplate(name: learning.name, gravity: learning.sums.mean)
        else { return }
        learned.removeAll { $0.name == template.name }
        learned = (learned + [template]).suffix(Self.mostLearned)
        self.learning = nil
    }
}
