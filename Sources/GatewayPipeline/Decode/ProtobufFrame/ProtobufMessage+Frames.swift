internal import TelemetryModel

/// The messages of `docs/contract/wearables.proto`. A test compares them with the file.
extension ProtobufMessage {
    /// `Frame`.
    static let frame = ProtobufMessage([
        1: .init("schema", .text), 2: .init("boot", .text), 3: .init("seq", .natural), 4: .init("uptime", .number),
        5: .init("sent", .number),
        16: .init("samples", .body(motionSamples, [.headphoneMotion, .deviceMotion])),
        17: .init("", .body(headphoneConnection, [.headphoneConnection])),
        18: .init("", .body(batchedIMU, [.batchedIMU])),
        19: .init("", .body(submersion, [.submersion])),
        20: .init("", .body(status, [.status])),
        21: .init("", .body(workout, [.workout])),
        22: .init("samples", .body(recordedAccelerometer, [.recordedAccelerometer])),
        23: .init("", .body(pedometer, [.pedometer])),
        24: .init("", .body(altimeter, [.altimeter])),
        25: .init("", .body(command, [.command])),
        26: .init("", .body(movementDisorder, [.movementDisorder])),
    ])

    // MARK: Columns

    static let timestamps = ProtobufMessage(
        completion: .timestamps,
        [
            1: .init("value", .numbers), 2: .init("start", .number), 3: .init("interval", .number),
            4: .init("deltaMicroseconds", .sums),
        ])
    static let packedVectors = ProtobufMessage([
        1: .init("x", .sums), 2: .init("y", .sums), 3: .init("z", .sums), 4: .init("scale", .number),
    ])
    static let vectors = ProtobufMessage(
        completion: .vectors,
        [1: .init("x", .floats), 2: .init("y", .floats), 3: .init("z", .floats), 4: .init("packed", .message(packedVectors))])
    static let magneticField = ProtobufMessage(
        completion: .vectors,
        [
            1: .init("x", .floats), 2: .init("y", .floats), 3: .init("z", .floats), 4: .init("packed", .message(packedVectors)),
            5: .init("accuracy", .integers),
        ])
    static let quaternions = ProtobufMessage([
        1: .init("x", .numbers), 2: .init("y", .numbers), 3: .init("z", .numbers), 4: .init("w", .numbers),
    ])

    // MARK: Motion

    static let motionSamples = ProtobufMessage([
        1: .init("timestamp", .message(timestamps)), 2: .init("attitude", .message(quaternions)),
        3: .init("rotationRate", .message(vectors)), 4: .init("userAcceleration", .message(vectors)),
        5: .init("gravity", .message(vectors)), 6: .init("sensorLocation", .integers), 7: .init("referenceFrame", .text),
        8: .init("magneticField", .message(magneticField)), 9: .init("heading", .numbers),
        10: .init("headingAccuracy", .numbers), 11: .init("acceleration", .message(vectors)),
    ])
    static let accelerometer = ProtobufMessage(
        completion: .vectors,
        [
            1: .init("timestamp", .message(timestamps)), 2: .init("x", .floats), 3: .init("y", .floats),
            4: .init("z", .floats), 5: .init("packed", .message(packedVectors)),
        ])
    static let batchedIMU = ProtobufMessage([
        1: .init("accelerometer", .message(accelerometer)), 2: .init("deviceMotion", .message(motionSamples)),
    ])
    static let headphoneConnection = ProtobufMessage([1: .init("event", .text), 2: .init("timestamp", .number)])
    static let recordedAccelerometer = ProtobufMessage(
        completion: .vectors,
        [
            1: .init("identifier", .naturals), 2: .init("startDate", .message(timestamps)), 3: .init("x", .floats),
            4: .init("y", .floats), 5: .init("z", .floats), 6: .init("packed", .message(packedVectors)),
        ])

    // MARK: Submersion

    static let quantity = ProtobufMessage([1: .init("value", .number), 2: .init("unit", .text)])
    static let submersion = ProtobufMessage([
        1: .init(
            "events",
            .entries(ProtobufMessage([1: .init("timestamp", .number), 2: .init("date", .number), 3: .init("state", .integer)]))),
        2: .init(
            "measurements",
            .entries(
                ProtobufMessage([
                    1: .init("timestamp", .number), 2: .init("date", .number), 3: .init("depth", .message(quantity)),
                    4: .init("pressure", .message(quantity)), 5: .init("surfacePressure", .message(quantity)),
                    6: .init("submersionState", .integer),
                ]))),
        3: .init(
            "temperatures",
            .entries(
                ProtobufMessage([
                    1: .init("timestamp", .number), 2: .init("date", .number), 3: .init("temperature", .message(quantity)),
                    4: .init("temperatureUncertainty", .message(quantity)),
                ]))),
        4: .init(
            "errors",
            .entries(ProtobufMessage([1: .init("timestamp", .number), 2: .init("date", .number), 3: .init("code", .integer)]))),
        5: .init("maximumDepth", .message(quantity)),
    ])

    // MARK: Status, workout and command

    static let status = ProtobufMessage([
        1: .init("state", .text), 2: .init("model", .text), 3: .init("os", .text),
        4: .init("authorization", .message(ProtobufMessage([1: .init("motion", .integer)]))), 5: .init("available", .flags),
        6: .init("entitlements", .texts), 7: .init("wristLocation", .integer), 8: .init("crownOrientation", .integer),
    ])
    static let workout = ProtobufMessage([
        1: .init("state", .integer), 2: .init("activity", .text), 3: .init("activity", .integer),
        4: .init("timestamp", .number),
    ])
    static let command = ProtobufMessage([1: .init("command", .text), 2: .init("name", .text)])

    // MARK: Walking and health

    static let pedometer = ProtobufMessage([
        1: .init(
            "data",
            .entries(
                ProtobufMessage([
                    1: .init("startDate", .number), 2: .init("endDate", .number), 3: .init("numberOfSteps", .natural),
                    4: .init("distance", .number), 5: .init("floorsAscended", .natural), 6: .init("floorsDescended", .natural),
                    7: .init("currentPace", .number), 8: .init("currentCadence", .number),
                    9: .init("averageActivePace", .number),
                ]))),
        2: .init("events", .entries(ProtobufMessage([1: .init("type", .integer), 2: .init("date", .number)]))),
    ])
    static let altimeter = ProtobufMessage([
        1: .init(
            "samples",
            .message(
                ProtobufMessage([
                    1: .init("timestamp", .message(timestamps)), 2: .init("relativeAltitude", .numbers),
                    3: .init("pressure", .numbers),
                ]))),
        2: .init(
            "absolute",
            .message(
                ProtobufMessage([
                    1: .init("timestamp", .message(timestamps)), 2: .init("altitude", .numbers),
                    3: .init("accuracy", .numbers), 4: .init("precision", .numbers),
                ]))),
    ])
    static let movementDisorder = ProtobufMessage([
        1: .init(
            "tremor",
            .entries(
                ProtobufMessage([
                    1: .init("startDate", .number), 2: .init("endDate", .number), 3: .init("unknown", .number),
                    4: .init("none", .number), 5: .init("slight", .number), 6: .init("mild", .number),
                    7: .init("moderate", .number), 8: .init("strong", .number),
                ]))),
        2: .init(
            "dyskinesia",
            .entries(
                ProtobufMessage([
                    1: .init("startDate", .number), 2: .init("endDate", .number), 3: .init("unlikely", .number),
                    4: .init("likely", .number),
                ]))),
    ])
}
