import GatewayPipeline
import SwiftProtobuf
import TelemetryModel
import WearableProtobuf

extension Wearables_V1_Pedometer {
    /// The counts and events as a message.
    init(_ samples: DecodedPedometer) {
        self.init()
        data = samples.data.map { count in
            .with {
                if let start = count.startDate { $0.startDate = start.seconds }
                $0.endDate = count.endDate.seconds
                $0.numberOfSteps = UInt64(clamping: count.values.steps)
                if let distance = count.values.distance { $0.distance = distance }
                if let floors = count.values.floorsAscended { $0.floorsAscended = UInt64(clamping: floors) }
                if let floors = count.values.floorsDescended { $0.floorsDescended = UInt64(clamping: floors) }
                if let pace = count.values.currentPace { $0.currentPace = pace }
                if let cadence = count.values.currentCadence { $0.currentCadence = cadence }
                if let pace = count.values.averageActivePace { $0.averageActivePace = pace }
            }
        }
        events = samples.events.map { event in
            .with {
                $0.type = Int32(clamping: event.kind.rawValue)
                $0.date = event.date.seconds
            }
        }
    }
}

extension Wearables_V1_Altimeter {
    /// The halves that are there.
    init(_ altimeter: AltimeterSamples) {
        self.init()
        if !altimeter.timestamp.isEmpty {
            samples.timestamp = Wearables_V1_Timestamps(altimeter.timestamp)
            samples.relativeAltitude = altimeter.relativeAltitude ?? []
            samples.pressure = altimeter.pressure ?? []
        }
        if let absolute = altimeter.absolute {
            self.absolute.timestamp = Wearables_V1_Timestamps(absolute.timestamp)
            self.absolute.altitude = absolute.altitude
            self.absolute.accuracy = absolute.accuracy
            self.absolute.precision = absolute.precision
        }
    }
}

extension Wearables_V1_MovementDisorder {
    /// The minutes as a message.
    init(_ results: MovementDisorderResults) {
        self.init()
        tremor = results.tremor.map { result in
            .with {
                $0.startDate = result.start.seconds
                $0.endDate = result.end.seconds
                $0.unknown = result.unknown
                $0.none = result.none
                $0.slight = result.slight
                $0.mild = result.mild
                $0.moderate = result.moderate
                $0.strong = result.strong
            }
        }
        dyskinesia = results.dyskinesia.map { result in
            .with {
                $0.startDate = result.start.seconds
                $0.endDate = result.end.seconds
                $0.unlikely = result.unlikely
                $0.likely = result.likely
            }
        }
    }
}
