/// The header of a frame.
public struct FrameHeader: Sendable, Equatable, Codable {
    /// The run of the device's clock and counters.
    public var boot: BootID
    /// The frame's place in its (device, stream, boot), from 0; nil where the contract allows it to be absent.
    public var sequence: UInt64?
    /// The device's monotonic clock when it sent the frame.
    public var uptime: DeviceTime
    /// The device's wall clock at the same instant.
    public var sent: UnixTime?

    /// A header with the fields of the wire contract.
    public init(boot: BootID, sequence: UInt64?, uptime: DeviceTime, sent: UnixTime?) {
        self.boot = boot
        self.sequence = sequence
        self.uptime = uptime
        self.sent = sent
    }
}

/// What a frame holds, by stream, in the units of this module.
///
/// The cases are indirect, as a body passes through many values: a copy of it then costs one reference.
public indirect enum FrameBody: Sendable, Equatable {
    /// From `headphone-motion`.
    case headphoneMotion(MotionSamples)
    /// From `headphone-connection`.
    case headphoneConnection(HeadphoneConnectionEvent)
    /// From `device-motion`.
    case deviceMotion(MotionSamples)
    /// From `batched-imu`.
    case batchedIMU(BatchedIMU)
    /// From `submersion`.
    case submersion(SubmersionSamples)
    /// From `pedometer`.
    case pedometer(PedometerSamples)
    /// From `altimeter`.
    case altimeter(AltimeterSamples)
    /// From `status`.
    case status(DeviceStatus)
    /// From `workout`.
    case workout(WorkoutChange)
    /// From `command`.
    case command(Command)
    /// From `recorded-accelerometer`.
    case recordedAcceleration(RecordedAcceleration)
    /// From `movement-disorder`.
    case movementDisorder(MovementDisorderResults)

    /// The stream of the body.
    public var stream: StreamName {
        switch self {
        case .headphoneMotion: .headphoneMotion
        case .headphoneConnection: .headphoneConnection
        case .deviceMotion: .deviceMotion
        case .batchedIMU: .batchedIMU
        case .submersion: .submersion
        case .pedometer: .pedometer
        case .altimeter: .altimeter
        case .status: .status
        case .workout: .workout
        case .command: .command
        case .recordedAcceleration: .recordedAccelerometer
        case .movementDisorder: .movementDisorder
        }
    }

    /// The device motion inside; nil where it holds none. Setting it changes a body that holds motion, and no other.
    public var motion: MotionSamples? {
        get {
            switch self {
            case .headphoneMotion(let samples), .deviceMotion(let samples): samples
            case .batchedIMU(let batch): batch.deviceMotion
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .headphoneMotion: self = .headphoneMotion(newValue)
            case .deviceMotion: self = .deviceMotion(newValue)
            case .batchedIMU(var batch) where batch.deviceMotion != nil:
                batch.deviceMotion = newValue
                self = .batchedIMU(batch)
            default: break
            }
        }
    }

    /// Whether the device motion inside is raw and not fused yet; nil where it holds none.
    public var isRawMotion: Bool? {
        switch self {
        case .headphoneMotion(let samples), .deviceMotion(let samples): samples.source.isRaw
        case .batchedIMU(let batch): batch.deviceMotion?.source.isRaw
        default: nil
        }
    }

    /// The device times of the first and last sample inside; nil where the body has none of its own.
    public var timeSpan: ClosedRange<DeviceTime>? {
        switch self {
        case .headphoneMotion(let samples), .deviceMotion(let samples):
            Self.span(samples.timestamp.lazy.map { DeviceTime($0) })
        case .headphoneConnection(let event): event.time...event.time
        case .batchedIMU(let batch):
            Self.join(Self.ends(batch.accelerometer?.timestamp), Self.ends(batch.deviceMotion?.timestamp))
        case .submersion(let samples):
            Self.join(
                Self.join(Self.span(samples.events.lazy.map(\.time)), Self.span(samples.measurements.lazy.map(\.time))),
                Self.join(Self.span(samples.temperatures.lazy.map(\.time)), Self.span(samples.errors.lazy.map(\.time))))
        case .pedometer(let samples): samples.timeSpan
        case .altimeter(let samples):
            Self.join(Self.ends(samples.timestamp), Self.ends(samples.absolute?.timestamp))
        case .workout(let change): change.time...change.time
        // The samples of a history are of the wall clock, perhaps of an earlier boot: the frame's instant is its uptime.
        case .status, .command, .recordedAcceleration, .movementDisorder: nil
        }
    }

    private static func span(_ times: some Sequence<DeviceTime>) -> ClosedRange<DeviceTime>? {
        var span: ClosedRange<DeviceTime>?
        for time in times { span = span.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time }
        return span
    }

    /// The first and the last of a column.
    private static func ends(_ seconds: [Double]?) -> ClosedRange<DeviceTime>? {
        guard let first = seconds?.first, let last = seconds?.last else { return nil }
        return DeviceTime(min(first, last))...DeviceTime(max(first, last))
    }

    private static func join(_ left: ClosedRange<DeviceTime>?, _ right: ClosedRange<DeviceTime>?) -> ClosedRange<DeviceTime>? {
        guard let left, let right else { return left ?? right }
        return min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
    }
}
