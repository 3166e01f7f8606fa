/// What is connected.
public enum ConnectionSubject: String, Sendable, Codable, CaseIterable {
    /// The headphones, to the device.
    case headphone
    /// The device, to the broker.
    case device
}

/// Whether it is connected.
public enum ConnectionState: String, Sendable, Codable, CaseIterable {
    /// Connected.
    case connected
    /// Disconnected.
    case disconnected
    /// Connected as far as is known, but silent.
    case silent
}

/// How a transition came to be known.
public enum ConnectionCause: String, Sendable, Codable, CaseIterable {
    /// A report of the device.
    case reported
    /// The broker published the device's last will.
    case lastWill
    /// No data for the silence limit.
    case silence
    /// Data arrived again.
    case dataResumed
    /// The device restarted.
    case reboot
    /// The device's clock was set back.
    case clockSetBack
    /// The device's app began again under the boot id it had before.
    case bootReused
    /// The other headphone took over.
    case handover
}

/// A connection transition.
public struct ConnectionChange: Sendable, Equatable, Codable {
    /// What the transition is of.
    public var subject: ConnectionSubject
    /// The state from now on.
    public var state: ConnectionState
    /// The state until now; nil when none was known.
    public var previous: ConnectionState?
    /// How it came to be known.
    public var cause: ConnectionCause
    /// On a handover, the headphone that data come from now.
    public var sensorLocation: SensorLocation?
    /// On a handover, the headphone that data came from before.
    public var previousLocation: SensorLocation?

    /// A transition from `previous` to `state`.
    public init(
        subject: ConnectionSubject, state: ConnectionState, previous: ConnectionState?, cause: ConnectionCause,
        sensorLocation: SensorLocation? = nil, previousLocation: SensorLocation? = nil
    ) {
        self.subject = subject
        self.state = state
        self.previous = previous
        self.cause = cause
        self.sensorLocation = sensorLocation
        self.previousLocation = previousLocation
    }
}

/// The pose of a head, relative to its reference pose.
public struct HeadPose: Sendable, Equatable, Codable {
    /// conj(reference) (x) current as x, y, z, w.
    public var attitude: SIMD4<Double>
    /// Angles of that attitude in rad, as in `CMAttitude`.
    public var roll, pitch, yaw: Double
    /// The headphone it was measured in.
    public var sensorLocation: SensorLocation
    /// When the reference pose was taken.
    public var referenceAt: DeviceTime

    /// A pose relative to the one at `referenceAt`.
    public init(
        attitude: SIMD4<Double>, roll: Double, pitch: Double, yaw: Double, sensorLocation: SensorLocation,
        referenceAt: DeviceTime
    ) {
        self.attitude = attitude
        self.roll = roll
        self.pitch = pitch
        self.yaw = yaw
        self.sensorLocation = sensorLocation
        self.referenceAt = referenceAt
    }
}
