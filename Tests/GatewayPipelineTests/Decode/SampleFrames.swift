import TelemetryModel

/// One good frame of each stream, small enough to be cut at every byte.
enum SampleFrames {
    static let all: [(stream: StreamName, frame: JSONText)] = [
        (.headphoneMotion, headphoneMotion), (.headphoneConnection, headphoneConnection), (.deviceMotion, deviceMotion),
        (.batchedIMU, batchedIMU), (.submersion, submersion), (.pedometer, pedometer), (.altimeter, altimeter),
        (.recordedAccelerometer, recordedAccelerometer), (.movementDisorder, movementDisorder), (.status, status),
        (.status, lastWill), (.workout, workout),
        (.command, command),
    ]

    /// Frames of devices without fusion: no attitude, gravity and user acceleration.
    static let raw: [(stream: StreamName, frame: JSONText)] = [
        (.headphoneMotion, rawMotion), (.deviceMotion, rawMotion.with("/samples/magneticField", nil)),
        (.batchedIMU, frame([("deviceMotion", rawSamples)])),
    ]

    static let rawMotion = frame([("samples", rawSamples)])
    static let headphoneMotion = frame([("samples", motion)])
    static let deviceMotion = frame([("samples", motion)])
    static let headphoneConnection = frame([("event", "didConnect"), ("timestamp", 99.5)])
    static let batchedIMU = frame([
        ("accelerometer", ["timestamp": ["start": 99, "interval": 0.00125], "x": [0, 1], "y": [-1, 34.5], "z": [2, 3e-2]]),
        ("deviceMotion", motion),
    ])
    static let submersion = frame([
        ("events", [["timestamp": 99.0, "state": "submerged"]]),
        (
            "measurements",
            [
                [
                    "timestamp": 99.25, "depth": ["value": 3.2, "unit": "m"], "pressure": ["value": 1.33, "unit": "bar"],
                    "surfacePressure": ["value": 1013.25, "unit": "hPa"], "submersionState": "submergedDeep",
                ],
                ["date": 1_763_749_000.5, "depth": ["value": 10, "unit": "ft"], "submersionState": 300],
            ]
        ),
        (
            "temperatures",
            [
                [
                    "timestamp": 99.25, "temperature": ["value": 50, "unit": "F"],
                    "temperatureUncertainty": ["value": 9, "unit": "F"],
                ]
            ]
        ),
        ("errors", [["timestamp": 99.5, "code": 110]]),
        ("maximumDepth", ["value": 6, "unit": "m"]),
    ])
    static let pedometer = frame([
        (
            "data",
            [
                [
                    "startDate": 1_763_748_901.5, "endDate": 1_763_749_000.75, "numberOfSteps": 240, "distance": 190.5,
                    "floorsAscended": 1, "floorsDescended": 0, "currentPace": 0.4, "currentCadence": 2.7,
                    "averageActivePace": 0.41,
                ]
            ]
        ),
        (
            "events",
            [["type": "resume", "date": 1_763_748_999.0], ["type": 0, "date": 1_763_748_996.0]]
        ),
    ])
    static let recordedAccelerometer = frame([
        (
            "samples",
            [
                "identifier": [7, 8], "startDate": [1_763_748_900.0, 1_763_748_900.02], "x": [0, 0.01], "y": [0, 0],
                "z": [-1, -0.99],
            ]
        )
    ])
    static let movementDisorder = frame([
        (
            "tremor",
            [
                [
                    "startDate": 1_763_748_840.0, "endDate": 1_763_748_900.0, "unknown": 0.1, "none": 0.5, "slight": 0.2,
                    "mild": 0.1, "moderate": 0.1, "strong": 0,
                ],
                [
                    "startDate": 1_763_748_780.0, "endDate": 1_763_748_840.0, "unknown": 0, "none": 0.995, "slight": 0,
                    "mild": 0, "moderate": 0, "strong": 0,
                ],
            ]
        ),
        (
            "dyskinesia",
            [["startDate": 1_763_748_840.0, "endDate": 1_763_748_900.0, "unlikely": 0.75, "likely": 0.25]]
        ),
    ])
    static let altimeter = frame([
        ("samples", ["timestamp": [99, 100], "relativeAltitude": [0, 0.5], "pressure": [101.325, 101.319]]),
        ("absolute", ["timestamp": [99.5], "altitude": [412], "accuracy": [3], "precision": [0.5]]),
    ])
    static let status = frame([
        ("state", "online"), ("model", "Watch6,18"), ("os", "watchOS 10.4"), ("authorization", ["motion": "authorized"]),
        ("available", ["waterSubmersion": .raw("true"), "pedometer": .raw("false"), "telepathy": 1]),
        ("entitlements", ["com.apple.developer.submerged-shallow-depth-and-pressure"]),
        ("wristLocation", "left"), ("crownOrientation", 1),
    ])
    static let lastWill: JSONText = ["schema": "wearables/1", "boot": "b7f3", "state": "offline"]
    static let workout = frame([("state", "running"), ("activity", "tennis"), ("timestamp", 99.5)])
    static let command = frame([("command", "resetHeadPose")])

    private static let motion: JSONText = [
        "timestamp": [99.0, 99.25, 99.5],
        "attitude": ["x": [0, 0, 0], "y": [0, 0.6, 0], "z": [0, 0, 0], "w": [1, 0.8, -1]],
        "rotationRate": ["x": [0, 0, 1.5], "y": [0, 0, 0], "z": [0, 0, 0]],
        "userAcceleration": ["x": [0, 0, 0], "y": [0, 0, 0], "z": [0, 0, 0.5]],
        "gravity": ["x": [0, 0, 0], "y": [0, 0, 0], "z": [-1, -1, -1]],
        "sensorLocation": "headphoneLeft",
    ]
    private static let rawSamples: JSONText = [
        "timestamp": [99, 99.25, 99.5],
        "acceleration": ["x": [0, 0.25, 0], "y": [0, 0, -0.5], "z": [-1, -1, -1.5]],
        "rotationRate": ["x": [0, 0, 1.5], "y": [0.125, 0.125, 0.125], "z": [0, 0, 0]],
        "magneticField": ["x": [20.5, 20.5, 20.25], "y": [0, 0, 0], "z": [-44, -44, -43.75]],
    ]

    private static func frame(_ body: [(String, JSONText)]) -> JSONText {
        .object(
            [("schema", "wearables/1"), ("boot", "b7f3"), ("seq", 42), ("uptime", 100.25), ("sent", 1_763_749_001.25)]
                + body.map { (key: $0.0, value: $0.1) })
    }
}
