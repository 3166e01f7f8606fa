internal import JSONText

/// A frame of each stream. `instant` is when the frame is made: both clocks, read together.
extension FrameBuilder {
    /// Motion of a head: 1 to 4,096 samples in order of time.
    public mutating func headphoneMotion(
        _ samples: [Motion], referenceFrame: ReferenceFrame? = nil, at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        try motion(.headphoneMotion, samples, referenceFrame, at: instant)
    }

    /// Motion of the device: 1 to 4,096 samples in order of time.
    public mutating func deviceMotion(
        _ samples: [Motion], referenceFrame: ReferenceFrame? = nil, at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        try motion(.deviceMotion, samples, referenceFrame, at: instant)
    }

    /// Raw motion of a head, which the gateway fuses: 1 to 4,096 samples in order of time.
    public mutating func headphoneMotion(
        raw samples: [RawMotion], at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        try motion(.headphoneMotion, samples, at: instant)
    }

    /// Raw motion of the device, which the gateway fuses: 1 to 4,096 samples in order of time.
    public mutating func deviceMotion(
        raw samples: [RawMotion], at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        try motion(.deviceMotion, samples, at: instant)
    }

    /// Headphones connected or disconnected at `timestamp`, seconds of the monotonic clock.
    public mutating func headphoneConnection(
        _ event: HeadphoneConnectionEvent.Event, timestamp: Double, at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        let rule = try TimeRule(instant)
        try rule.check(timestamp, "timestamp")
        return try frame(.headphoneConnection, at: instant) { json in
            json.field("event", event.rawValue)
            json.field("timestamp", timestamp, decimals: FrameEncoding.time)
        }
    }

    /// Batches of acceleration and motion, each in order of time and of at most 4,096 samples; one of them may be empty.
    public mutating func batch(
        accelerometer: [Acceleration] = [], deviceMotion: [Motion] = [], referenceFrame: ReferenceFrame? = nil,
        at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        guard !accelerometer.isEmpty || !deviceMotion.isEmpty else { throw .empty }
        let rule = try TimeRule(instant)
        if !accelerometer.isEmpty { try accelerometer.check("accelerometer", rule) }
        if !deviceMotion.isEmpty { try deviceMotion.check("deviceMotion", rule, encoding) }
        let encoding = encoding
        return try frame(.batchedIMU, at: instant) { json in
            if !accelerometer.isEmpty { json.acceleration("accelerometer", accelerometer, encoding) }
            if !deviceMotion.isEmpty { json.motion("deviceMotion", deviceMotion, referenceFrame, encoding) }
        }
    }

    /// Batches of acceleration and raw motion, which the gateway fuses, each in order of time and of at most 4,096 samples; the first
    /// may be empty.
    public mutating func batch(
        accelerometer: [Acceleration] = [], rawMotion: [RawMotion], at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        guard !rawMotion.isEmpty else { throw .empty }
        let rule = try TimeRule(instant)
        if !accelerometer.isEmpty { try accelerometer.check("accelerometer", rule) }
        try rawMotion.check("deviceMotion", rule)
        let encoding = encoding
        return try frame(.batchedIMU, at: instant) { json in
            if !accelerometer.isEmpty { json.acceleration("accelerometer", accelerometer, encoding) }
            json.motion("deviceMotion", rawMotion, encoding)
        }
    }

    /// What the submersion manager has reported since the last frame.
    public mutating func submersion(
        _ readings: SubmersionReadings, at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        try readings.check(try TimeRule(instant))
        let encoding = encoding
        return try frame(.submersion, at: instant) { readings.write(into: &$0, encoding) }
    }

    /// What the pedometer has reported since the last frame. Throws `timeOutOfRange` without a wall clock, by which the pedometer's
    /// dates have their place on the monotonic clock.
    public mutating func pedometer(
        _ readings: PedometerReadings, at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        _ = try TimeRule(instant)
        try readings.check(instant)
        return try frame(.pedometer, at: instant) { readings.write(into: &$0) }
    }

    /// What the altimeter has reported since the last frame.
    public mutating func altimeter(
        _ readings: AltimeterReadings, at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        try readings.check(try TimeRule(instant))
        return try frame(.altimeter, at: instant) { readings.write(into: &$0) }
    }

    /// A part of the accelerometer's history: 1 to 4,096 samples, each 5 to 500 ms after the one before. A minute at 50 Hz fits well.
    /// Samples behind a gap in the recording need a frame of their own.
    public mutating func recordedAccelerometer(
        _ samples: [RecordedAcceleration], at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        _ = try TimeRule(instant)
        try samples.check(instant)
        let encoding = encoding
        return try frame(.recordedAccelerometer, at: instant) { samples.write(into: &$0, encoding) }
    }

    /// What the movement disorder manager found: minutes of the last seven days. Apple grants the entitlement to it on request.
    public mutating func movementDisorder(
        _ results: MovementDisorderResults, at instant: DeviceInstant = .now
    ) throws(FrameError) -> Frame {
        _ = try TimeRule(instant)
        try results.check(instant)
        return try frame(.movementDisorder, at: instant) { results.write(into: &$0) }
    }

    /// Online or offline, and what the device is. Make a new one for each connection: an old `seq` would be a repeat.
    public mutating func status(_ status: DeviceStatus, at instant: DeviceInstant = .now) throws(FrameError) -> Frame {
        _ = try TimeRule(instant)
        try status.check()
        return try frame(.status, at: instant) { status.write(into: &$0) }
    }

    /// The state of the workout session.
    public mutating func workout(_ change: WorkoutChange, at instant: DeviceInstant = .now) throws(FrameError) -> Frame {
        try change.check(try TimeRule(instant))
        return try frame(.workout, at: instant) { change.write(into: &$0) }
    }

    /// A command to what is derived of this device; the name of a pose is 1 to 32 of A-Z a-z 0-9 _ -.
    public mutating func command(_ command: Command, at instant: DeviceInstant = .now) throws(FrameError) -> Frame {
        _ = try TimeRule(instant)
        let name: String? =
            switch command {
            case .learnPose(let name), .forgetPose(let name): name
            case .resetHeadPose, .resetCounts, .calibratePosture: nil
            }
        if let name {
            guard Identifier(name) != nil, name.utf8.count <= 32 else { throw .invalidText(field: "name") }
        }
        return try frame(.command, at: instant) { json in
            json.field("command", command.word.rawValue)
            if let name { json.field("name", name) }
        }
    }

    private mutating func motion(
        _ stream: StreamName, _ samples: [Motion], _ referenceFrame: ReferenceFrame?, at instant: DeviceInstant
    ) throws(FrameError) -> Frame {
        guard !samples.isEmpty else { throw .empty }
        try samples.check("samples", try TimeRule(instant), encoding)
        let encoding = encoding
        return try frame(stream, at: instant) { $0.motion("samples", samples, referenceFrame, encoding) }
    }

    private mutating func motion(
        _ stream: StreamName, _ samples: [RawMotion], at instant: DeviceInstant
    ) throws(FrameError) -> Frame {
        guard !samples.isEmpty else { throw .empty }
        try samples.check("samples", try TimeRule(instant))
        let encoding = encoding
        return try frame(stream, at: instant) { $0.motion("samples", samples, encoding) }
    }
}
