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

/// One series of device motion (`CMDeviceMotion`), a column per component, all equally long.
public struct MotionSamples: Sendable, Equatable, Codable {
    /// Device time of each sample in seconds, strictly increasing.
    public var timestamp: [Double]
    /// Device relative to the reference frame, unit quaternions.
    public var attitude: QuaternionColumns
    /// Bias-free rotation in rad/s, right-handed about the device's axes.
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

    /// Columns of equal length; the caller has checked that. `sensorLocation` holds one value or one a sample.
    public init(
        timestamp: [Double] = [], attitude: QuaternionColumns = .init(), rotationRate: VectorColumns = .init(),
        userAcceleration: VectorColumns = .init(), gravity: VectorColumns = .init(),
        sensorLocation: [SensorLocation] = [.default], referenceFrame: ReferenceFrame? = nil,
        heading: [Double]? = nil, headingAccuracy: [Double]? = nil
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
    }

    /// The number of samples.
    public var count: Int { timestamp.count }

    /// Where sample `index` was measured.
    public func location(at index: Int) -> SensorLocation {
        sensorLocation.count == 1 ? sensorLocation[0] : sensorLocation[index]
    }

    /// The samples in `range`.
    public func slice(_ range: Range<Int>) -> Self {
        Self(
            timestamp: Array(timestamp[range]), attitude: attitude.slice(range), rotationRate: rotationRate.slice(range),
            userAcceleration: userAcceleration.slice(range), gravity: gravity.slice(range),
            sensorLocation: sensorLocation.count == 1 ? sensorLocation : Array(sensorLocation[range]),
            referenceFrame: referenceFrame, heading: heading.map { Array($0[range]) },
            headingAccuracy: headingAccuracy.map { Array($0[range]) })
    }
}
