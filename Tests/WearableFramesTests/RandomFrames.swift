import GatewayTestSupport
import WearableFrames

/// Values for frames: most of them sound, some at or past the edges of what a frame can hold.
struct RandomFrames {
    private var generator: SeededGenerator
    /// One value in so many is at an edge; frames of large arrays would otherwise never be valid.
    private var oddity = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let edges: [Double] = [
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0, 1e15,
        1e18,
        9.3e12, -1e-9, 0x1p53, 0x1p63, 4_294_967_295.999999, 4_294_967_296, 9_007_199_254.740991, 978_307_200, 4_102_444_800,
        4_102_444_800.0000005, -1, 5, 4.9999999, 1e-7,
    ]

    mutating func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func element<Value>(of values: [Value]) -> Value { values[integer(0...values.count - 1)] }

    mutating func number(_ range: ClosedRange<Double>) -> Double {
        if oddity > 0, integer(1...oddity) == 1 { return element(of: Self.edges) }
        return Double.random(in: range, using: &generator)
    }

    mutating func optional<Value>(_ value: Value) -> Value? { integer(0...3) == 0 ? nil : value }

    mutating func text() -> String {
        element(of: [
            "tennis", "", "Watch6,18", "ü \"quoted\" \\", "a\u{0}b", "a\u{202E}b", String(repeating: "x", count: 129), "🎾",
        ])
    }

    /// The frame of `stream` for random values, and how many samples or entries went into it.
    mutating func frame(
        of stream: StreamName, by builder: inout FrameBuilder
    ) throws(FrameError) -> (frame: Frame, entries: Int, instant: DeviceInstant) {
        oddity = element(of: [0, 0, 3, 40, 400])
        let uptime = number(10...1e6)
        let instant = DeviceInstant(uptime: uptime, unix: number(1.7e9...1.8e9))
        switch stream {
        case .headphoneMotion where integer(0...2) == 0, .deviceMotion where integer(0...2) == 0:
            let samples = rawMotion(before: uptime)
            return (
                stream == .deviceMotion
                    ? try builder.deviceMotion(raw: samples, at: instant)
                    : try builder.headphoneMotion(raw: samples, at: instant),
                samples.count, instant
            )
        case .headphoneMotion, .deviceMotion:
            let samples = motion(before: uptime)
            let frame: ReferenceFrame? = optional(element(of: ReferenceFrame.allCases))
            return (
                stream == .deviceMotion
                    ? try builder.deviceMotion(samples, referenceFrame: frame, at: instant)
                    : try builder.headphoneMotion(samples, referenceFrame: frame, at: instant), samples.count, instant
            )
        case .headphoneConnection:
            let event = element(of: HeadphoneConnectionEvent.Event.allCases)
            return (try builder.headphoneConnection(event, timestamp: time(before: uptime), at: instant), 1, instant)
        case .batchedIMU:
            if integer(0...2) == 0 {
                let (accelerometer, raw) = (accelerations(before: uptime), rawMotion(before: uptime))
                let frame = try builder.batch(accelerometer: accelerometer, rawMotion: raw, at: instant)
                return (frame, accelerometer.count + raw.count, instant)
            }
            let (accelerometer, deviceMotion) = (accelerations(before: uptime), motion(before: uptime))
            let frame = try builder.batch(accelerometer: accelerometer, deviceMotion: deviceMotion, at: instant)
            return (frame, accelerometer.count + deviceMotion.count, instant)
        case .submersion:
            let readings = readings(before: instant)
            let entries = readings.events.count + readings.measurements.count + readings.temperatures.count
            return (try builder.submersion(readings, at: instant), entries + readings.errors.count, instant)
        case .pedometer:
            let readings = steps(before: instant)
            return (try builder.pedometer(readings, at: instant), readings.data.count + readings.events.count, instant)
        case .altimeter:
            let readings = altitudes(before: uptime)
            return (try builder.altimeter(readings, at: instant), readings.relative.count + readings.absolute.count, instant)
        case .recordedAccelerometer:
            let samples = recorded(before: instant)
            return (try builder.recordedAccelerometer(samples, at: instant), samples.count, instant)
        case .movementDisorder:
            let results = disorder(before: instant)
            return (try builder.movementDisorder(results, at: instant), results.tremor.count + results.dyskinesia.count, instant)
        case .status: return (try builder.status(status(), at: instant), 1, instant)
        case .workout:
            let activity: WorkoutChange.Activity =
                integer(0...1) == 0 ? .name(text()) : .rawValue(element(of: [0, 48, 3000, -1, .max, .min]))
            let change = WorkoutChange(
                element(of: WorkoutState.allCases), activity: optional(activity), timestamp: time(before: uptime))
            return (try builder.workout(change, at: instant), 1, instant)
        case .command:
            let commands: [Command] = [
                .resetHeadPose, .resetCounts, .calibratePosture, .learnPose("tree_2"), .forgetPose("tree_2"), .learnPose(""),
            ]
            return (try builder.command(element(of: commands), at: instant), 1, instant)
        }
    }

    private mutating func disorder(before instant: DeviceInstant) -> MovementDisorderResults {
        let unix = instant.unix.isFinite ? instant.unix : 1.75e9
        func minutes(_ count: Int) -> [Double] { (0..<count).map { unix - 60 * Double(count - $0) } }
        return MovementDisorderResults(
            tremor: minutes(element(of: [0, 1, 60, 257])).map { start in
                let share = number(0...1)
                return .init(start: UnixTime(start), end: UnixTime(start + number(1...60)), none: share, slight: 1 - share)
            },
            dyskinesia: minutes(element(of: [0, 0, 1, 60])).map { start in
                let share = number(0...1)
                return .init(start: UnixTime(start), end: UnixTime(start + 60), unlikely: share, likely: 1 - share)
            })
    }

    /// A time in the 10 s before `uptime`, where that is a clock's reading.
    private mutating func time(before uptime: Double) -> Double {
        let end = uptime.isFinite ? min(max(uptime, 10), 1e9) : 10
        return number(end - 10...end)
    }

    private mutating func times(before uptime: Double, limit: Int) -> [Double] {
        let count = integer(0...limit)
        guard uptime.isFinite, count > 0 else { return Array(repeating: uptime, count: count) }
        // Down to half a microsecond: two samples of one microsecond cannot be distinguished.
        let step = element(of: [0.04, 0.00125, 1e-6, 5e-7])
        return (0..<count).map { uptime - Double(count - $0) * step }
    }

    private mutating func vector(_ size: Double) -> Vector3 {
        Vector3(x: number(-size...size), y: number(-size...size), z: number(-size...size))
    }

    private mutating func motion(before uptime: Double) -> [Motion] {
        times(before: uptime, limit: element(of: [0, 5, 200, 4_100])).map { time in
            let angle = number(-3...3) / 2
            return Motion(
                timestamp: time, attitude: element(of: [.turn(angle), .turn(angle), .turn(-angle)]), rotationRate: vector(30),
                userAcceleration: vector(35), gravity: vector(1), sensorLocation: element(of: SensorLocation.allCases),
                heading: optional(number(-1...360)))
        }
    }

    private mutating func rawMotion(before uptime: Double) -> [WearableFrames.RawMotion] {
        let hasField = integer(0...1) == 0
        return times(before: uptime, limit: element(of: [0, 5, 200, 4_100])).map { time in
            .init(
                timestamp: time, acceleration: vector(35), rotationRate: vector(30), magneticField: hasField ? vector(900) : nil,
                sensorLocation: element(of: SensorLocation.allCases))
        }
    }

    private mutating func accelerations(before uptime: Double) -> [Acceleration] {
        times(before: uptime, limit: element(of: [0, 80, 800, 4_100])).map {
            Acceleration(timestamp: $0, acceleration: vector(35))
        }
    }

    private mutating func readingTime(before instant: DeviceInstant) -> ReadingTime {
        guard integer(0...2) == 0 else { return .timestamp(time(before: instant.uptime)) }
        return .date(instant.unix - number(0...9))
    }

    private mutating func readings(before instant: DeviceInstant) -> SubmersionReadings {
        let limit = element(of: [0, 3, 260])
        return SubmersionReadings(
            events: (0..<integer(0...3)).map { _ in
                .init(time: readingTime(before: instant), state: element(of: SubmersionState.allCases))
            },
            measurements: (0..<integer(0...limit)).map { _ in
                .init(
                    time: readingTime(before: instant), depth: optional(number(-1...50)), pressure: optional(number(90...600)),
                    surfacePressure: optional(number(90...110)), submersionState: optional(element(of: DepthState.allCases)))
            },
            temperatures: (0..<integer(0...3)).map { _ in
                .init(time: readingTime(before: instant), temperature: number(-2...35), uncertainty: number(0...3))
            },
            errors: (0..<integer(0...2)).map { _ in
                .init(time: readingTime(before: instant), code: element(of: [100, 110, 113, .max, .min]))
            },
            maximumDepth: optional(number(1...40)))
    }

    private mutating func steps(before instant: DeviceInstant) -> PedometerReadings {
        let limit = element(of: [0, 3, 260])
        let end = instant.unix.isFinite ? instant.unix : 1.75e9
        return PedometerReadings(
            data: (0..<integer(0...limit)).map { _ in
                let seconds = number(0...200)
                let date = end - number(0...9)
                let count = seconds.isFinite ? seconds * 3 : 0
                return .init(
                    startDate: date - seconds, endDate: date, steps: Int(exactly: count.rounded()) ?? 1,
                    distance: optional(number(0...1) * min(abs(seconds), 200) * 3), floorsAscended: optional(integer(-1...40)),
                    floorsDescended: optional(integer(0...40)), currentPace: optional(number(0.07...2)),
                    currentCadence: optional(number(0...6)), averageActivePace: optional(number(0.2...2)))
            },
            events: (0..<integer(0...3)).map { _ in
                .init(element(of: PedometerEvent.Kind.allCases), date: end - number(0...9))
            })
    }

    private mutating func altitudes(before uptime: Double) -> AltimeterReadings {
        AltimeterReadings(
            relative: times(before: uptime, limit: element(of: [0, 5, 200, 4_100])).map {
                .init(timestamp: $0, relativeAltitude: number(-500...500), pressure: number(60...110))
            },
            absolute: times(before: uptime, limit: element(of: [0, 0, 5])).map {
                .init(timestamp: $0, altitude: number(-400...8_000), accuracy: number(0...30), precision: number(0...2))
            })
    }

    private mutating func recorded(before instant: DeviceInstant) -> [RecordedAcceleration] {
        let end = (instant.unix.isFinite ? instant.unix : 1.75e9) - number(0...100_000)
        let step = element(of: [0.02, 0.02, 0.02, 0.005, 0.5, 0.5001])
        let (count, first) = (integer(0...element(of: [0, 5, 5, 200, 4_100])), integer(0...1_000))
        let isNumbered = integer(0...1) == 0
        return (0..<count).map { index in
            RecordedAcceleration(
                identifier: isNumbered ? UInt64(first + index) : nil, startDate: end + Double(index) * step,
                acceleration: vector(64))
        }
    }

    private mutating func status() -> DeviceStatus {
        var available: [Capability: Bool] = [:]
        for capability in Capability.allCases where integer(0...1) == 0 {
            available[capability] = integer(0...1) == 0
        }
        let entitlements = (0..<element(of: [0, 1, 64, 65])).map { _ in "com.apple.developer.submerged-depth-and-pressure" }
        return DeviceStatus(
            state: element(of: DeviceStatus.State.allCases), model: optional(text()), os: optional(text()),
            authorization: optional(element(of: Authorization.allCases)), available: available,
            entitlements: optional(entitlements), wristLocation: optional(element(of: Side.allCases)),
            crownOrientation: optional(element(of: Side.allCases)))
    }
}

extension Quaternion {
    /// A turn about the vertical; `angle` is half of it, in radians.
    static func turn(_ angle: Double) -> Quaternion {
        let square = min(1, angle * angle)
        return Quaternion(x: 0, y: 0, z: angle.isNaN ? .nan : square.squareRoot(), w: (1 - square).squareRoot())
    }
}
