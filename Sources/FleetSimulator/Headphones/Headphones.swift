import WearableFrames

/// AirPods on a head, connected to a phone: `headphone-motion` at 25 Hz, five samples a frame, and `headphone-connection`.
package struct Headphones: ScriptedDevice {
    var schedule: Schedule

    private let options: HeadphoneOptions
    private let motion: HeadMotion
    private let chance: Chance
    private var cues: CueCursor
    private var bud: Bud
    private var wornSince: Double?
    private var sample = 0

    private static let samplesPerFrame = 5
    /// Real streams drift about 25 Hz by some tenths of a percent.
    private static let interval = 0.03997

    /// Creates headphones that are worn from the start.
    package init(_ origin: DeviceOrigin, options: HeadphoneOptions = HeadphoneOptions()) {
        self.options = options
        chance = Chance(seed: origin.seed)
        motion = HeadMotion(chance: chance)
        cues = CueCursor(options: options)
        bud = options.bud
        schedule = Schedule(
            origin: origin,
            status: .online(model: "iPhone15,2", os: "iOS 18.1", available: [.headphoneMotion, .deviceMotion])
        )
        connect(after: 0.05)
    }

    mutating func advance() {
        var samples: [Motion] = []
        var location = bud
        var last = 0.0
        for _ in 0..<Self.samplesPerFrame {
            last = Double(sample) * Self.interval + chance.uniform(.jitter, sample, in: 0...0.0004)
            while let cue = cues.next(through: last) { perform(cue) }
            // A frame carries one location here; the samples of the other bud start the next one.
            if bud != location {
                sendFrame(samples)
                (samples, location) = ([], bud)
            }
            if let wornSince, last >= wornSince { samples.append(reading(after: last, wornSince: wornSince)) }
            sample += 1
        }
        sendFrame(samples)
        schedule.complete(through: last)
    }

    private mutating func perform(_ cue: HeadphoneCue) {
        switch cue.action {
        case .takeOut:
            guard wornSince != nil else { return }
            wornSince = nil
            report(.didDisconnect, after: cue.seconds)
        case .putBack:
            guard wornSince == nil else { return }
            connect(after: cue.seconds)
        case .handOver(let other):
            bud = other
        }
    }

    private mutating func connect(after elapsed: Double) {
        wornSince = elapsed
        report(.didConnect, after: elapsed)
    }

    private mutating func report(_ event: HeadphoneConnectionEvent.Event, after elapsed: Double) {
        let timestamp = origin.uptime(after: elapsed)
        schedule.send(after: elapsed + 0.045) { builder, instant throws(FrameError) in
            try builder.headphoneConnection(event, timestamp: timestamp, at: instant)
        }
    }

    private func reading(after elapsed: Double, wornSince: Double) -> Motion {
        let rate = motion.rotationRate(after: elapsed)
        let seconds = origin.uptime(after: elapsed)
        return Motion(
            seconds: seconds,
            attitude: HeadMotion.bogus(
                motion.attitude(after: elapsed), sinceConnect: elapsed - wornSince,
                // It is the fusion that starts wrong.
                lasting: origin.rawSensors == nil ? options.bogusSeconds : 0),
            rotationRate: rate + chance.noises(.rotation, sample, sigma: 0.004),
            // A head turns about a neck some 0.1 m behind, and accelerates towards it: 0.01 G for each (rad/s)². Core Motion's
            // sign is the opposite.
            userAcceleration: Vector(0, 0.01 * rate.length * rate.length, 0)
                + chance.noises(.acceleration, sample, sigma: 0.004),
            sensorLocation: bud == .left ? .headphoneLeft : .headphoneRight
        )
    }

    private mutating func sendFrame(_ samples: [Motion]) {
        guard let last = samples.last else { return }
        let sensors = origin.rawSensors
        schedule.send(after: last.timestamp - origin.uptime + 0.03) { builder, instant throws(FrameError) in
            try builder.motion(.headphoneMotion, samples, of: sensors, at: instant)
        }
    }
}

/// The cues of headphones in order of time, over and over if they are to repeat.
private struct CueCursor: Sendable {
    private let cues: [HeadphoneCue]
    private let cycle: Double?
    private var index = 0
    private var offset = 0.0

    init(options: HeadphoneOptions) {
        cues = options.cues.sorted { $0.seconds < $1.seconds }
        cycle = options.cycle
    }

    /// The next cue due by `elapsed`, its time counted from the device's start.
    mutating func next(through elapsed: Double) -> HeadphoneCue? {
        if index == cues.count, let cycle, cycle > 0, !cues.isEmpty {
            (index, offset) = (0, offset + cycle)
        }
        guard index < cues.count, offset + cues[index].seconds <= elapsed else { return nil }
        defer { index += 1 }
        return HeadphoneCue(after: offset + cues[index].seconds, cues[index].action)
    }
}
