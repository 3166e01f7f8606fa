#if canImport(Darwin) && canImport(CoreMotion) || CORE_MOTION_STUB
    public import CoreMotion

    extension Motion {
        /// A sample of `CMMotionManager`, `CMBatchedSensorManager` or `CMHeadphoneMotionManager`.
        public init(_ motion: CMDeviceMotion) {
            let attitude = motion.attitude.quaternion
            self.init(
                timestamp: motion.timestamp,
                attitude: Quaternion(x: attitude.x, y: attitude.y, z: attitude.z, w: attitude.w),
                rotationRate: Vector3(motion.rotationRate),
                userAcceleration: Vector3(motion.userAcceleration),
                gravity: Vector3(motion.gravity),
                sensorLocation: SensorLocation(motion.sensorLocation),
                heading: motion.heading >= 0 ? motion.heading : nil)
        }
    }

    extension RawMotion {
        /// Samples of `CMMotionManager`'s accelerometer, gyroscope and magnetometer, taken as one at the accelerometer's time. Give those
        /// that are nearest in time; the field may be nil for all samples of a frame.
        public init(_ acceleration: CMAccelerometerData, _ rotation: CMGyroData, _ field: CMMagnetometerData? = nil) {
            self.init(
                timestamp: acceleration.timestamp, acceleration: Vector3(acceleration.acceleration),
                rotationRate: Vector3(rotation.rotationRate),
                magneticField: field.map { Vector3(x: $0.magneticField.x, y: $0.magneticField.y, z: $0.magneticField.z) })
        }
    }

    extension Acceleration {
        /// A sample of `CMBatchedSensorManager`.
        public init(_ data: CMAccelerometerData) {
            self.init(timestamp: data.timestamp, acceleration: Vector3(data.acceleration))
        }
    }

    extension Vector3 {
        /// An acceleration of Core Motion, in G.
        init(_ acceleration: CMAcceleration) {
            self.init(x: acceleration.x, y: acceleration.y, z: acceleration.z)
        }

        /// A rotation rate of Core Motion, in rad/s.
        init(_ rate: CMRotationRate) {
            self.init(x: rate.x, y: rate.y, z: rate.z)
        }
    }

    extension SensorLocation {
        /// Core Motion's location; one that this version does not know is the device itself.
        public init(_ location: CMDeviceMotion.SensorLocation) {
            switch location {
            case .headphoneLeft: self = .headphoneLeft
            case .headphoneRight: self = .headphoneRight
            default: self = .default
            }
        }
    }

    extension ReferenceFrame {
        /// Core Motion's reference frame; nil for one that this version does not know.
        public init?(_ frame: CMAttitudeReferenceFrame) {
            switch frame {
            case .xArbitraryZVertical: self = .xArbitraryZVertical
            case .xArbitraryCorrectedZVertical: self = .xArbitraryCorrectedZVertical
            case .xMagneticNorthZVertical: self = .xMagneticNorthZVertical
            case .xTrueNorthZVertical: self = .xTrueNorthZVertical
            default: return nil
            }
        }
    }

    extension Authorization {
        /// Core Motion's authorization; nil for one that this version does not know.
        public init?(_ status: CMAuthorizationStatus) {
            switch status {
            case .notDetermined: self = .notDetermined
            case .restricted: self = .restricted
            case .denied: self = .denied
            case .authorized: self = .authorized
            default: return nil
            }
        }
    }
#endif
