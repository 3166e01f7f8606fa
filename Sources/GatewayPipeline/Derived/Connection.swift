package import TelemetryModel

/// What is connected.
package enum ConnectionSubject: String, Sendable, Codable, CaseIterable {
    /// The headphones, to the device.
    case headphone
    /// The device, to the broker.
    case device
}

/// Whether it is connected.
package enum ConnectionState: String, Sendable, Codable, CaseIterable {
    /// Connected.
    case connected
    /// Disconnected.
    case disconnected
    /// Connected as far as is known, but silent.
    case silent
}

/// How a transition came to be known.
package enum ConnectionCause: String, Sendable, Codable, CaseIterable {
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
package struct ConnectionChange: Sendable, Equatable, Codable {
    /// What the transition is of.
    package var subject: ConnectionSubject
    /// The state from now on.
    package var state: ConnectionState
    /// The state until now; nil when none was known.
    package var previous: ConnectionState?
    /// How it came to be known.
    package var cause: ConnectionCause
    /// On a handover, the headphone that data come from now.
    package var sensorLocation: SensorLocation?
    /// On a handover, the headphone that data came from before.
    package var previousLocation: SensorLocation?
}

/// The pose of a head, relative to its reference pose.
package struct HeadPose: Sendable, Equatable, Codable {
    /// conj(reference) (x) current as x, y, z, w.
    package var attitude: SIMD4<Double>
    /// Angles of that attitude in rad, as in `CMAttitude`.
    package var roll, pitch, yaw: Double
    /// The headphone it was measured in.
    package var sensorLocation: SensorLocation
    /// When the reference pose was taken.
    package var referenceAt: DeviceTime
}
