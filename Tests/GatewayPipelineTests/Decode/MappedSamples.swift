import GatewayPipeline
import TelemetryModel

/// One good message of each mapping that the project ships, small enough to be cut at every byte.
enum MappedSamples {
    /// Topics and payloads that are a number, of which a beginning may be another.
    static let numbers: [(topic: String, payload: String)] = [
        ("buoy-1/sensor/water_pressure/state", "1325.5"), ("buoy-1/sensor/water_temperature/state", "18.25"),
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

    /// phyphox: "Acceleration (with g)", gyroscope and magnetometer; Android's signs and units.
    static let phyphoxRaw: JSONText = [
        "t": [10.0, 10.25, 10.5],
        "accX": [0, 0, 9.80665], "accY": [0, 0, 0], "accZ": [9.80665, 9.80665, 0],
        "gyrX": [0, 0, 1.5], "gyrY": [0, 0, 0], "gyrZ": [0, 0, 0],
        "magX": [20.5, 20.5, 20.25], "magY": [-4.5, -4.5, -4.25], "magZ": [-43, -43, -42.5],
        "time": [
            "now": 1763749000.5,
            "events": [["event": "START", "experimentTime": 0, "systemTime": 1763748000]],
        ],
    ]

    /// ESPHome: a state of each sensor, in m/s2 and degrees per second.
    static let espHome: JSONText = [
        "boot": 3735928559, "t": 184213, "ax": 0.12449, "ay": -0.05746, "az": 9.80665, "gx": -180, "gy": 0.42683, "gz": 0.06098,
    ]

    /// A sketch with Adafruit_MPU6050 and ArduinoJson: m/s2 and rad/s, times in microseconds.
    static let arduino: JSONText = [
        "t": [184213004, 184233011], "ax": [0.12, 0.13], "ay": [-0.06, -0.05], "az": [9.80665, 9.79],
        "gx": [-0.02, -0.02], "gy": [0.5, 0.25], "gz": [0, 0.01], "boot": 2890771, "seq": 41,
    ]

    /// MbientLab's SDK: Cartesian floats and an epoch.
    static let metaWear: JSONText = [
        "epoch": 1763749000123,
        "acc": ["x": 0.014, "y": -0.021, "z": 1.002], "gyro": ["x": 90, "y": -0.183, "z": 0.061],
    ]

    /// Movella DOT: rate quantities by the names of the vendor's CSV.
    static let movella: JSONText = [
        "PacketCounter": 118, "SampleTimeFine": 3215456217,
        "Acc_X": -0.107935, "Acc_Y": 0.244837, "Acc_Z": 9.80665, "Gyr_X": -0.367188, "Gyr_Y": 180, "Gyr_Z": 0.046875,
    ]
}
