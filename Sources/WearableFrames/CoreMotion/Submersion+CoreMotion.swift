// Water submersion is not part of Core Motion on a Mac.
#if canImport(Darwin) && canImport(CoreMotion) && !os(macOS) || CORE_MOTION_STUB
    public import CoreMotion
    public import Foundation

    extension SubmersionReadings.Event {
        /// What `CMWaterSubmersionManager` reported.
        public init(_ event: CMWaterSubmersionEvent) {
            self.init(time: .date(event.date.timeIntervalSince1970), state: SubmersionState(event.state))
        }
    }

    extension SubmersionReadings.Measurement {
        /// What `CMWaterSubmersionManager` measured, in m and kPa.
        public init(_ measurement: CMWaterSubmersionMeasurement) {
            self.init(
                time: .date(measurement.date.timeIntervalSince1970),
                depth: measurement.depth?.converted(to: .meters).value,
                pressure: measurement.pressure?.converted(to: .kilopascals).value,
                surfacePressure: measurement.surfacePressure.converted(to: .kilopascals).value,
                submersionState: DepthState(measurement.submersionState))
        }
    }

    extension SubmersionReadings.Temperature {
        /// What `CMWaterSubmersionManager` measured, in degrees Celsius.
        public init(_ temperature: CMWaterTemperature) {
            let uncertainty = temperature.temperatureUncertainty
            // An uncertainty is a difference: converting it as a temperature would add an offset.
            let scale = uncertainty.unit == .fahrenheit ? 5.0 / 9 : 1
            self.init(
                time: .date(temperature.date.timeIntervalSince1970),
                temperature: temperature.temperature.converted(to: .celsius).value,
                uncertainty: uncertainty.value * scale)
        }
    }

    extension SubmersionReadings.Failure {
        /// An error of the manager at `date`.
        public init(_ error: any Error, at date: Date) {
            self.init(time: .date(date.timeIntervalSince1970), code: (error as NSError).code)
        }
    }

    extension SubmersionState {
        /// Core Motion's state; one that this version does not know is `unknown`.
        public init(_ state: CMWaterSubmersionEvent.State) {
            switch state {
            case .notSubmerged: self = .notSubmerged
            case .submerged: self = .submerged
            default: self = .unknown
            }
        }
    }

    extension DepthState {
        /// Core Motion's state; one that this version does not know is `unknown`.
        public init(_ state: CMWaterSubmersionMeasurement.DepthState) {
            switch state {
            case .notSubmerged: self = .notSubmerged
            case .submergedShallow: self = .submergedShallow
            case .submergedDeep: self = .submergedDeep
            case .approachingMaxDepth: self = .approachingMaxDepth
            case .pastMaxDepth: self = .pastMaxDepth
            case .sensorDepthError: self = .sensorDepthError
            default: self = .unknown
            }
        }
    }
#endif
