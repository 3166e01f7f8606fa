/// Good messages of producers, small enough to be cut at every byte.
enum SampleEnvelopes {
    /// Two readings of headphones, two of a watch that lags, and two of no use.
    static let sensorLogger: JSONText = [
        "messageId": 12, "sessionId": "s1", "deviceId": "d1",
        "payload": [
            headphone("1782303633500000000"), headphone("1782303633480000000"), wrist("1782303623500000000"),
            wrist("1782303623510000000"),
            [
                "name": "barometer", "time": .raw("1782303633000000000"),
                "values": ["relativeAltitude": 0.5, "pressure": 1013.25],
            ],
            ["name": "annotation", "time": .raw("1782303633100000000"), "values": ["text": "hit"]],
        ],
    ]

    /// A phone with Android: total acceleration at 0, 10, 20 and 30 ms, rotation rate between them, the magnetic field at half the rate, and
    /// two readings of no use.
    static let android: JSONText = [
        "messageId": 3, "sessionId": "s2", "deviceId": "d1",
        "payload": [
            phone("totalacceleration", 0, ["x": 0, "y": 0, "z": 9.80665]),
            phone("totalacceleration", 10, ["x": 9.80665, "y": 0, "z": 9.80665]),
            phone("gyroscope", 5, ["x": 0.5, "y": 0, "z": -0.25]), phone("gyroscope", 15, ["x": 0.25, "y": 0, "z": 0]),
            phone("magnetometer", 0, ["x": 20, "y": -4, "z": -43]), phone("magnetometer", 20, ["x": 22, "y": -4, "z": -41]),
            phone("totalacceleration", 20, ["x": 0, "y": 0, "z": 9.80665]),
            phone("totalacceleration", 30, ["x": -9.80665, "y": 0, "z": 9.80665]),
            phone("gyroscope", 25, ["x": 0, "y": 0, "z": 0]), phone("gyroscopeuncalibrated", 25, ["x": 1, "y": 1, "z": 1]),
            phone("accelerometer", 25, ["x": 0, "y": 0, "z": 0]),
        ],
    ]

    private static func phone(_ name: String, _ milliseconds: Int, _ values: JSONText) -> JSONText {
        let time = "17823036320" + String("\(100 + milliseconds)".dropFirst()) + "000000"
        return ["name": .raw("\"\(name)\""), "time": .raw(time), "values": values]
    }

    private static func headphone(_ time: String) -> JSONText {
        [
            "name": "headphone", "time": .raw(time),
            "values": values(gravity: ["gravityX": 0, "gravityY": 0, "gravityZ": -9.80665]),
        ]
    }

    private static func wrist(_ time: String) -> JSONText {
        [
            "name": "wrist motion", "time": .raw(time),
            "values": values(gravity: ["gravityX": 0, "gravityY": 0, "gravityZ": -1.0]),
        ]
    }

    private static func values(gravity: JSONText) -> JSONText {
        guard case .object(let gravity) = gravity else { return gravity }
        return .object(
            gravity + [
                ("devicelocation", "left"), ("roll", 0.03), ("quaternionW", 1), ("quaternionX", 0), ("quaternionY", 0),
                ("quaternionZ", 0), ("rotationRateX", 0.5), ("rotationRateY", 0), ("rotationRateZ", -0.25),
                ("accelerationX", 0.125), ("accelerationY", 0), ("accelerationZ", 0),
            ])
    }
}
