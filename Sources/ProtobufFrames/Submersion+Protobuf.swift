import GatewayPipeline
import SwiftProtobuf
import TelemetryModel
import WearableProtobuf

extension Wearables_V1_Quantity {
    fileprivate init<Unit>(_ quantity: Quantity<Unit>) {
        self.init()
        value = quantity.value
        unit = quantity.unit.rawValue
    }
}

/// An entry with one of two times.
private protocol DatedMessage {
    var timestamp: Double { get set }
    var date: Double { get set }
}

extension Wearables_V1_Submersion.Event: DatedMessage {}
extension Wearables_V1_Submersion.Measurement: DatedMessage {}
extension Wearables_V1_Submersion.Temperature: DatedMessage {}
extension Wearables_V1_Submersion.Failure: DatedMessage {}

extension DatedMessage {
    fileprivate mutating func set(_ instant: Instant) {
        switch instant {
        case .device(let time): timestamp = time.seconds
        case .unix(let time): date = time.seconds
        }
    }
}

extension Wearables_V1_Submersion {
    /// The entries as a message, in the device's units.
    init(_ samples: DecodedSubmersion) {
        self.init()
        events = samples.events.map { event in
            .with {
                $0.set(event.instant)
                $0.state = Int32(clamping: event.state.rawValue)
            }
        }
        measurements = samples.measurements.map { measurement in
            .with {
                $0.set(measurement.instant)
                if let depth = measurement.depth { $0.depth = Wearables_V1_Quantity(depth) }
                if let pressure = measurement.pressure { $0.pressure = Wearables_V1_Quantity(pressure) }
                if let pressure = measurement.surfacePressure { $0.surfacePressure = Wearables_V1_Quantity(pressure) }
                if let state = measurement.submersionState { $0.submersionState = Int32(clamping: state.rawValue) }
            }
        }
        temperatures = samples.temperatures.map { temperature in
            .with {
                $0.set(temperature.instant)
                $0.temperature = Wearables_V1_Quantity(temperature.temperature)
                $0.temperatureUncertainty = Wearables_V1_Quantity(temperature.uncertainty)
            }
        }
        errors = samples.errors.map { failure in
            .with {
                $0.set(failure.instant)
                $0.code = Int32(clamping: failure.code)
            }
        }
        if let depth = samples.maximumDepth { maximumDepth = Wearables_V1_Quantity(depth) }
    }
}
