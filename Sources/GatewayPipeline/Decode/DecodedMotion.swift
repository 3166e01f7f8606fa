package import SignalProcessing
package import TelemetryModel

/// Motion as a producer wrote it: columns in its own units and signs.
package struct DecodedMotion: Sendable, Equatable {
    /// How its units and signs are determined.
    package enum Convention: Sendable, Equatable {
        /// They are known.
        case fixed(MotionConvention)
        /// They are measured: the length of gravity gives the unit, gravity compared with the attitude the sign. Acceleration is
        /// in gravity's unit, or where it is not, in G with Core Motion's signs and in m/s2 with the opposite ones.
        case measured(accelerationIsInUnitOfGravity: Bool)
    }

    /// The stream it is of: `headphone-motion` or `device-motion`.
    package var stream: StreamName
    /// The samples, unconverted.
    package var samples: MotionSamples
    /// How they are to be converted.
    package var convention: Convention
}
