import GatewayPipeline
import TelemetryModel

/// One good message of each mapping that the project ships, small enough to be cut at every byte.
enum MappedSamples {
    /// Topics and payloads; `refusesTruncation` where every proper beginning must be refused: a number has no end of its own.
    static let all: [(topic: String, payload: String, refusesTruncation: Bool)] = [
        ("sensorlog/watch-1", sensorLog.text, true), ("phyphox/phone-1", phyphox.text, true),
        ("buoy-1/sensor/water_pressure/state", "1325.5", false), ("buoy-1/sensor/water_temperature/state", "18.25", false),
    ]

    /// SensorLog: every value a text.
    static let sensorLog: JSONText = [
        "loggingTime": "2023-06-05T23:37:35.646+09:00", "loggingSample": "30554",
        "motionTimestamp_sinceReboot": "142714.045678",
        "motionQuaternionW": "0.8", "motionQuaternionX": "0", "motionQuaternionY": "0.6", "motionQuaternionZ": "0",
        "motionRotationRateX": "0.001327", "motionRotationRateY": "-0.5", "motionRotationRateZ": "2",
        "motionUserAccelerationX": "-0.000042", "motionUserAccelerationY": "0.25", "motionUserAccelerationZ": "-1",
        "motionGravityX": "0.96", "motionGravityY": "0", "motionGravityZ": "-0.28",
    ]

    /// phyphox: m/s2, Android's signs, a second after a pause.
    static let phyphox: JSONText = [
        "t": [10.0, 10.25, 10.5],
        "qx": [0, 0, 0], "qy": [0, 0, 0], "qz": [0, 0, 0], "qw": [1, 1, -1],
        "gyrX": [0, 0, 1.5], "gyrY": [0, 0, 0], "gyrZ": [0, 0, 0],
        "accX": [0, 0, 0], "accY": [0, 0, 0], "accZ": [0, 0, 9.80665],
        "gravX": [0, 0, 0], "gravY": [0, 0, 0], "gravZ": [9.80665, 9.80665, 9.80665],
        "time": [
            "now": 1763749000.5,
            "events": [
                ["event": "START", "experimentTime": 0, "systemTime": 1763748000],
                ["event": "PAUSE", "experimentTime": 9.5, "systemTime": 1763748009.5],
                ["event": "START", "experimentTime": 9.5, "systemTime": 1763748989.5],
            ],
        ],
    ]
}
