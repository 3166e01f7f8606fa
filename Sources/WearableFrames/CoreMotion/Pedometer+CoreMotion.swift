// The pedometer, the altimeter and the recorder are not part of Core Motion on a Mac.
#if canImport(Darwin) && canImport(CoreMotion) && !os(macOS) || CORE_MOTION_STUB
    public import CoreMotion
    internal import Foundation

    extension PedometerReadings.Count {
        /// What `CMPedometer` counted.
        public init(_ data: CMPedometerData) {
            self.init(
                startDate: data.startDate.timeIntervalSince1970, endDate: data.endDate.timeIntervalSince1970,
                steps: data.numberOfSteps.intValue, distance: data.distance?.doubleValue,
                floorsAscended: data.floorsAscended?.intValue, floorsDescended: data.floorsDescended?.intValue,
                currentPace: data.currentPace?.doubleValue, currentCadence: data.currentCadence?.doubleValue,
                averageActivePace: data.averageActivePace?.doubleValue)
        }
    }

    extension PedometerReadings.Event {
        /// A pause or a resumption that `CMPedometer` reported.
        public init(_ event: CMPedometerEvent) {
            self.init(event.type == .pause ? .pause : .resume, date: event.date.timeIntervalSince1970)
        }
    }

    extension AltimeterReadings.Relative {
        /// What `CMAltimeter` measured.
        public init(_ data: CMAltitudeData) {
            self.init(
                timestamp: data.timestamp, relativeAltitude: data.relativeAltitude.doubleValue,
                pressure: data.pressure.doubleValue)
        }
    }

    extension RecordedAcceleration {
        /// What `CMSensorRecorder` recorded. Its `identifier` is left out: all samples of a batch have the same.
        public init(_ data: CMRecordedAccelerometerData) {
            self.init(
                startDate: data.startDate.timeIntervalSince1970,
                acceleration: Vector3(x: data.acceleration.x, y: data.acceleration.y, z: data.acceleration.z))
        }
    }

    @available(iOS 15, watchOS 8, *)
    extension AltimeterReadings.Absolute {
        /// What `CMAltimeter` measured.
        public init(_ data: CMAbsoluteAltitudeData) {
            self.init(
                timestamp: data.timestamp, altitude: data.altitude, accuracy: data.accuracy, precision: data.precision)
        }
    }
#endif
