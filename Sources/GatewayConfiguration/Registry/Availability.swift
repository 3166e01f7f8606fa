extension RegistryEntry {
    /// Which sensors a device has, in the names of the device's own `status`; nil where it is unset.
    package struct Availability: Sendable, Equatable {
        /// Head motion from headphones.
        package var headphoneMotion: Bool?
        /// Device motion, sample by sample.
        package var deviceMotion: Bool?
        /// Depth and water temperature.
        package var waterSubmersion: Bool?
        /// The accelerometer at 800 Hz in batches.
        package var accelerometerBatch: Bool?
        /// Device motion at 200 Hz in batches.
        package var deviceMotionBatch: Bool?
        /// The accelerometer's history.
        package var recordedAccelerometer: Bool?
        /// Steps and distance.
        package var pedometer: Bool?
        /// Pauses and resumptions of walking.
        package var pedometerEvents: Bool?
        /// Relative altitude and air pressure.
        package var altimeter: Bool?
        /// Altitude over the sea.
        package var absoluteAltimeter: Bool?
        /// Apple's movement disorder results.
        package var movementDisorder: Bool?

        /// Makes an availability in which nothing is set.
        package init() {}

        /// The keys of the registry and of `status`, each with the property it sets.
        package static let keys: [(name: String, property: any WritableKeyPath<Availability, Bool?> & Sendable)] = [
            ("headphoneMotion", \.headphoneMotion), ("deviceMotion", \.deviceMotion), ("waterSubmersion", \.waterSubmersion),
            ("accelerometerBatch", \.accelerometerBatch), ("deviceMotionBatch", \.deviceMotionBatch),
            ("recordedAccelerometer", \.recordedAccelerometer), ("pedometer", \.pedometer),
            ("pedometerEvents", \.pedometerEvents), ("altimeter", \.altimeter),
            ("absoluteAltimeter", \.absoluteAltimeter), ("movementDisorder", \.movementDisorder),
        ]

        /// An availability in which the device has every sensor.
        package static let everything = {
            var availability = Availability()
            for key in keys { availability[keyPath: key.property] = true }
            return availability
        }()

        /// This availability with what it leaves unset taken from another.
        package func merging(defaults: Availability) -> Availability {
            var merged = self
            for (_, property) in Self.keys {
                merged[keyPath: property] = self[keyPath: property] ?? defaults[keyPath: property]
            }
            return merged
        }
    }
}
