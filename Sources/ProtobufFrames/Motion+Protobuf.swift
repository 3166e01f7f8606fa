import TelemetryModel
import WearableProtobuf

extension Wearables_V1_MotionSamples {
    /// The samples as a message; attitude as doubles, for relative poses need more than a float has.
    init(_ samples: MotionSamples, _ columns: ProtobufFrameEncoder.Columns) {
        self.init()
        timestamp = Wearables_V1_Timestamps(samples.timestamp)
        rotationRate = Wearables_V1_Vectors(samples.rotationRate, columns)
        if let raw = samples.raw {
            acceleration = Wearables_V1_Vectors(raw.acceleration, columns)
            if let field = raw.magneticField {
                magneticField.x = field.x.map { Float($0) }
                magneticField.y = field.y.map { Float($0) }
                magneticField.z = field.z.map { Float($0) }
            }
        } else {
            attitude.x = samples.attitude.x
            attitude.y = samples.attitude.y
            attitude.z = samples.attitude.z
            attitude.w = samples.attitude.w
            userAcceleration = Wearables_V1_Vectors(samples.userAcceleration, columns)
            gravity = Wearables_V1_Vectors(samples.gravity, columns)
        }
        sensorLocation = samples.sensorLocation.map { Int32(clamping: $0.rawValue) }
        if let frame = samples.referenceFrame { referenceFrame = frame.rawValue }
        heading = samples.heading ?? []
        headingAccuracy = samples.headingAccuracy ?? []
    }
}

extension Wearables_V1_BatchedIMU {
    /// The halves that are there.
    init(_ batch: BatchedIMU, _ columns: ProtobufFrameEncoder.Columns) {
        self.init()
        if let samples = batch.accelerometer {
            accelerometer.timestamp = Wearables_V1_Timestamps(samples.timestamp)
            accelerometer.set(samples.acceleration, columns)
        }
        if let samples = batch.deviceMotion { deviceMotion = Wearables_V1_MotionSamples(samples, columns) }
    }
}

extension Wearables_V1_RecordedAccelerometer {
    /// The recorded samples as a message.
    init(_ samples: RecordedAcceleration, _ columns: ProtobufFrameEncoder.Columns) {
        self.init()
        identifier = (samples.identifier ?? []).map { UInt64(clamping: $0) }
        startDate = Wearables_V1_Timestamps(samples.startDate.map(\.seconds))
        set(samples.acceleration, columns)
    }
}
