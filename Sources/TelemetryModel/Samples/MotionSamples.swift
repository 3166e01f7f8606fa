/// The location of a motion sensor (`CMDeviceMotion.SensorLocation`, raw 0-2).
public enum SensorLocation: Int, Sendable, Codable, CaseIterable {
    /// The device itself.
    case `default` = 0
    /// The left headphone.
    case headphoneLeft = 1
    /// The right headphone.
    case headphoneRight = 2

    /// Core Motion's name of the case.
    public var name: String {
        switch self {
        case .default: "default"
        case .headphoneLeft: "headphoneLeft"
        case .headphoneRight: "headphoneRight"
        }
    }
}

/// What the attitude is relative to (`CMAttitudeReferenceFrame`).
public enum ReferenceFrame: String, Sendable, Codable, CaseIterable {
    /// Z up, X anywhere.
    case xArbitraryZVertical
    /// Z up, X anywhere, yaw drift corrected by the magnetometer.
    case xArbitraryCorrectedZVertical
    /// Z up, X to magnetic north.
    case xMagneticNorthZVertical
    /// Z up, X to true north.
    case xTrueNorthZVertical
}

/// What sensors without fusion measure beside the rotation rate: columns as long as those of the series.
public struct RawMotion: Sendable, Equatable, Codable {
    /// Total acceleration in G, with Core Motion's sign: (0, 0, -1) for a device at rest face up.
    public var acceleration: VectorColumns
    /// The magnetic field in microtesla, in the device's axes; nil where it is not measured.
    public var magneticField: VectorColumns?

    /// Columns of equal length; the caller has checked that.
    public init(acceleration: VectorColumns, magneticField: VectorColumns? = nil) {
        self.acceleration = acceleration
        self.magneticField = magneticField
    }
}

/// What the gateway's fusion of raw motion knows beside the motion, after the last sample of the series.
public struct FusedMotion: Sendable, Equatable, Codable {
    /// The samples with which the heading became unknown: the first of a device, and those after a gap.
    public var restarts: [Int]
    /// The estimated bias of the gyroscope in rad/s, which `rotationRate` is free of.
    public var gyroscopeBias: SIMD3<Double>
    /// Whether the sensor lies still.
    public var isAtRest: Bool
    /// Whether the heading may be used.
    public var isHeadingSettled: Bool

    /// What is known after a series.
    public init(restarts: [Int], gyroscopeBias: SIMD3<Double>, isAtRest: Bool, isHeadingSettled: Bool) {
        self.restarts = restarts
        self.gyroscopeBias = gyroscopeBias
        self.isAtRest = isAtRest
        self.isHeadingSettled = isHeadingSettled
    }
}

/// Where attitude, gravity and user acceleration of a series come from; indirect, as most series are copied with `device`.
public indirect enum MotionSource: Sendable, Equatable, Codable {
    /// The device has computed them.
    case device
    /// They are not known yet, and their columns are empty: this was measured.
    case sensors(RawMotion)
    /// The gateway has computed them.
    case fused(FusedMotion)

    /// Whether the gateway has computed them.
    public var isFused: Bool { if case .fused = self { true } else { false } }

    /// What the gateway knows beside the motion that it has computed; nil where the device computed it.
    public var fused: FusedMotion? { if case .fused(let fused) = self { fused } else { nil } }

    /// Whether they are not known yet.
    public var isRaw: Bool { if case .sensors = self { true } else { false } }
}

/// One series of device motion (`CMDeviceMotion`), a column per component, all equally long.
public struct MotionSamples: Sendable, Equatable, Codable {
    /// Device time of each sample in seconds, strictly increasing.
    public var timestamp: [Double]
    /// Device relative to the reference frame, unit quaternions.
    public var attitude: QuaternionColumns
    /// Rotation in rad/s, right-handed about the device's axes; free of bias but for raw motion that is not fused yet.
    public var rotationRate: VectorColumns
    /// Acceleration without gravity, in G.
    public var userAcceleration: VectorColumns
    /// Gravity in G, unit length, pointing down.
    public var gravity: VectorColumns
    /// One location for all samples, or one for each.
    public var sensorLocation: [SensorLocation]
    /// The frame the device names, if it does.
    public var referenceFrame: ReferenceFrame?
    /// Degrees clockwise from north in which the device points, negative where invalid; only with a frame to the north.
    public var heading: [Double]?
    /// How far the heading may be off, in degrees, negative where unknown.
    public var headingAccuracy: [Double]?
    /// Where attitude, gravity and user acceleration come from.
    public var source: MotionSource

    /// Columns of equal length; the caller has checked that. `sensorLocation` holds one value or one a sample.
    public init(
        timestamp: [Double] = [], attitude: QuaternionColumns = .init(), rotationRate: VectorColumns = .init(),
        userAcceleration: VectorColumns = .init(), gravity: VectorColumns = .init(),
        sensorLocation: [SensorLocation] = [.default], referenceFrame: ReferenceFrame? = nil,
        heading: [Double]? = nil, headingAccuracy: [Double]? = nil, source: MotionSource = .device
    ) {
        self.timestamp = timestamp
        self.attitude = attitude
        self.rotationRate = rotationRate
        self.userAcceleration = userAcceleration
        self.gravity = gravity
        self.sensorLocation = sensorLocation
        self.referenceFrame = referenceFrame
        self.heading = heading
        self.headingAccuracy = headingAccuracy
        self.source = source
    }

    /// The number of samples.
    public var count: Int { timestamp.count }

    /// Where sample `index` was measured.
    public func location(at index: Int) -> SensorLocation {
        sensorLocation.count == 1 ? sensorLocation[0] : sensorLocation[index]
    }

    /// What was measured, where the samples are not fused yet.
    public var raw: RawMotion? { if case .sensors(let raw) = source { raw } else { nil } }

    /// The samples in `range`.
    public func slice(_ range: Range<Int>) -> Self {
        var part = Self(
            timestamp: Array(timestamp[range]), rotationRate: rotationRate.slice(range),
            sensorLocation: sensorLocation.count == 1 ? sensorLocation : Array(sensorLocation[range]),
            referenceFrame: referenceFrame, heading: heading.map { Array($0[range]) },
            headingAccuracy: headingAccuracy.map { Array($0[range]) }, source: source)
        if case .sensors(let raw) = source {
            part.source = .sensors(
                RawMotion(acceleration: raw.acceleration.slice(range), magneticField: raw.magneticField?.slice(range)))
        } else {
            part.attitude = attitude.slice(range)
            part.userAcceleration = userAcceleration.slice(range)
            part.gravity = gravity.slice(range)
        }
        return part
    }
}
