import TelemetryModel

/// The largest message that a configuration can lead to, as `fathom check --connect` tries it.
package struct LargestMessage: Sendable, Equatable {
    /// What it is, for people.
    package var name: String
    /// The size of its payload.
    package var bytes: Int

    /// The largest of a dive with its whole profile, a report on a long frame, and samples where those are published.
    package static func of(_ settings: PipelineSettings) -> LargestMessage? {
        guard let device = DeviceID(String(repeating: "d", count: 64)), let boot = BootID(String(repeating: "b", count: 64))
        else {
            return nil
        }
        let encoder = OutboundEncoder(settings)
        func encoded(_ name: String, _ body: any DerivedBody) -> LargestMessage {
            let message = DerivedMessage(
                device: device, event: DerivedEvent(time: instant, body: body),
                source: .init(stream: .submersion, boot: boot, sequence: longSequence), offset: 1.7e9,
                received: UnixTime(1.7e9))
            return LargestMessage(name: name, bytes: encoder.encode(message).payload.count)
        }
        let report = encoder.encode(
            Rejection(.malformedJSON, String(repeating: "x", count: 200)),
            of: InboundMessage(
                topic: String(repeating: "t", count: 200), payload: Array(repeating: 0, count: 4_096), retain: false,
                contentType: nil), from: device, count: 1_000, received: UnixTime(1.7e9))
        var messages = [encoded("a dive", dive), LargestMessage(name: "a report on a long frame", bytes: report.payload.count)]
        if settings.derive.isEnabled(SwingTraceDerivation.self) { messages.append(encoded("the samples of a swing", trace)) }
        if settings.derive.isEnabled(AttitudeDerivation.self), settings.derive[AttitudeDerivation.self].seriesHertz > 0 {
            messages.append(encoded("the motion of a batch", attitude))
        }
        if settings.derive.isEnabled(HeadPoseDerivation.self), settings.derive[HeadPoseDerivation.self].seriesHertz > 0 {
            messages.append(encoded("the head poses of a frame", poses))
        }
        return messages.max { $0.bytes < $1.bytes }
    }

    private static let instant = DeviceTime(123_456_789.123_456)
    private static let longSequence: ClosedRange<UInt64> = 9_000_000_000_000_000...9_000_000_000_000_255

    private static let dive = Dive(
        start: DeviceTime(123_450_000.123_456), end: instant, deepest: 123.456_789, averageDepth: 98.765_432_1,
        minimumTemperature: -1.234_567, ascentRate: 12.345_678_9, surfaceInterval: 123_456.789_012,
        profile: DiveProfile(interval: 1_024, depth: Array(repeating: 123.456_789, count: 256)))

    /// Three seconds, twice what a swing takes with the time around it.
    private static let trace = SwingTrace(
        swingAt: instant, startAt: instant, impactAt: instant, from: instant,
        acceleration: .init(interval: 1.0 / 800, scale: 0.01, values: Array(repeating: 12_345, count: 2_400)),
        rotationRate: .init(interval: 1.0 / 200, scale: 0.001, values: Array(repeating: -12_345, count: 600)))

    /// A batch of 200 Hz and a second, with as much again.
    private static let attitude: AttitudeSeries = {
        let column = [Double](repeating: -0.123_456, count: 400)
        let vectors = VectorColumns(x: column, y: column, z: column)
        return AttitudeSeries(
            stream: .batchedIMU,
            samples: MotionSamples(
                timestamp: column, attitude: QuaternionColumns(x: column, y: column, z: column, w: column),
                rotationRate: vectors, userAcceleration: vectors, gravity: vectors),
            places: column.indices.map { .init(index: $0, agrees: true) })
    }()

    /// A frame of a second at 100 Hz, four times what headphones measure, in which each sample is of another bud than the one before.
    private static let poses = HeadPoseSeries(
        samples: (0..<100).map { index in
            .init(
                time: instant.seconds,
                pose: HeadPose(
                    attitude: SIMD4(repeating: -0.123_456), roll: -0.123_456, pitch: -0.123_456, yaw: -0.123_456,
                    sensorLocation: index.isMultiple(of: 2) ? .headphoneLeft : .headphoneRight, referenceAt: instant),
                agrees: true)
        })
}
