import Foundation
import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Orientation")
struct OrientationTests {
    private let settings = OrientationSettings.with { $0.rateHertz = 10 }

    private func samples(
        _ attitudes: [SIMD4<Double>], at times: [Double]? = nil, frame: ReferenceFrame? = .xTrueNorthZVertical,
        heading: Double? = 0, accuracy: Double? = 4
    ) -> MotionSamples {
        func column(_ value: Double) -> [Double] { Array(repeating: value, count: attitudes.count) }
        let zeros = VectorColumns(x: column(0), y: column(0), z: column(0))
        return MotionSamples(
            timestamp: times ?? attitudes.indices.map { 100 + Double($0) / 10 },
            attitude: QuaternionColumns(
                x: attitudes.map(\.x), y: attitudes.map(\.y), z: attitudes.map(\.z), w: attitudes.map(\.w)),
            rotationRate: zeros, userAcceleration: zeros, gravity: zeros, referenceFrame: frame,
            heading: heading.map(column), headingAccuracy: accuracy.map(column))
    }

    private func found(_ samples: MotionSamples, _ settings: OrientationSettings = .init()) throws -> [Orientation] {
        try OrientationDerivation.run([samples], settings, saving: true).compactMap { $0.body as? Orientation }
    }

    private static func turn(_ degrees: Double, x: Double = 0, y: Double = 0, z: Double = 0) -> SIMD4<Double> {
        let half = degrees * .pi / 360
        return SIMD4(x * sin(half), y * sin(half), z * sin(half), cos(half))
    }

    @Test("On its back it looks straight down, and has no azimuth")
    func identity() throws {
        let orientation = try #require(found(samples([SIMD4(0, 0, 0, 1)])).first)
        #expect(orientation.elevation == -.pi / 2)
        #expect(orientation.azimuth == nil)
        #expect(orientation.roll == 0)
    }

    private static let horizons: [(attitude: SIMD4<Double>, azimuth: Double)] = [
        (turn(90, y: 1), .pi), (turn(-90, y: 1), 0), (turn(90, x: 1), 1.5 * .pi), (turn(-90, x: 1), 0.5 * .pi),
    ]

    @Test(
        "Upright it looks over the horizon: south after a turn of 90 degrees about y, and on clockwise from there",
        arguments: horizons)
    func horizon(attitude: SIMD4<Double>, azimuth: Double) throws {
        let orientation = try #require(found(samples([attitude])).first)
        #expect(abs(orientation.elevation) < 1e-12)
        let difference = abs(try #require(orientation.azimuth) - azimuth)
        #expect(min(difference, 2 * .pi - difference) < 1e-12)
    }

    /// Attitudes, rolls and, of the second, the matrix from reference to device, that public recordings hold.
    private static let recorded: [(attitude: SIMD4<Double>, roll: Double)] = [
        (SIMD4(-0.004572, -0.000681, 0.116929, -0.993130), 0.002422),
        (SIMD4(0.643136825892, 0.0896853875299, 1.87207e-06, 0.760481133521), 0.716386186536),
        (SIMD4(0.489685441888, -0.025223668841, -0.002964313164, 0.871529200533), -0.078933512548),
        (SIMD4(-0.47675120121765957, 0.21538676246259386, -0.0005364311021727928, 0.8522420297864675), 0.6807802035216475),
    ]

    @Test("Recorded attitudes point where their rotation matrix turns the back", arguments: recorded)
    func recordedAttitudes(attitude: SIMD4<Double>, roll: Double) throws {
        let orientation = try #require(found(samples([attitude])).first)
        // Rodrigues' rotation of (0, 0, -1) about the quaternion's own axis.
        let unit = attitude / (attitude * attitude).sum().squareRoot()
        let sine = (1 - unit.w * unit.w).squareRoot()
        let axis = SIMD3(unit.x, unit.y, unit.z) / sine
        let angle = 2 * atan2(sine, unit.w)
        let back = SIMD3(0.0, 0, -1)
        let cross = SIMD3(axis.y * back.z - axis.z * back.y, axis.z * back.x - axis.x * back.z, axis.x * back.y - axis.y * back.x)
        let pointing = back * cos(angle) + cross * sin(angle) + axis * (axis * back).sum() * (1 - cos(angle))
        #expect(abs(orientation.elevation - asin(pointing.z)) < 1e-9)
        let azimuth = try #require(orientation.azimuth)
        #expect(abs(cos(azimuth) * hypot(pointing.x, pointing.y) - pointing.x) < 1e-9)
        #expect(abs(sin(azimuth) * hypot(pointing.x, pointing.y) + pointing.y) < 1e-9)
        #expect((0..<2 * .pi).contains(azimuth))
        #expect(abs(orientation.roll - roll) < 2e-6)
    }

    @Test("The matrix that one recording stores gives the same direction")
    func recordedMatrix() throws {
        let orientation = try #require(found(samples([Self.recorded[1].attitude])).first)
        // The third row of the matrix from reference to device is the device's z axis in the reference frame.
        let back = -SIMD3(0.13641050, -0.97818643, 0.15666312)
        #expect(abs(orientation.elevation - asin(back.z)) < 1e-6)
        #expect(abs(cos(orientation.azimuth ?? 0) - back.x / hypot(back.x, back.y)) < 1e-6)
    }

    @Test("Without north, or with an invalid heading, there is none")
    func north() throws {
        let upright = [Self.turn(90, y: 1)]
        for frame in [nil, ReferenceFrame.xArbitraryZVertical, .xArbitraryCorrectedZVertical] {
            #expect(try found(samples(upright, frame: frame)).isEmpty)
        }
        #expect(try found(samples(upright, heading: -1)).isEmpty)
        #expect(try found(samples(upright, heading: nil)).isEmpty)
        #expect(try found(samples(upright, frame: .xMagneticNorthZVertical)).map(\.frame) == [.xMagneticNorthZVertical])
        #expect(try found(samples(upright, accuracy: -1)).map(\.accuracy) == [nil])
        #expect(try found(samples(upright, accuracy: nil)).map(\.accuracy) == [nil])
        #expect(try found(samples(upright)).map(\.accuracy) == [4])
    }

    @Test("At most so many a second of device time, whatever the frames, and each valid for two seconds or three periods")
    func rate() throws {
        let times = (0..<300).map { 10 + Double($0) / 100 }
        let all = samples(times.map { Self.turn($0, y: 1) }, at: times)
        let events = try OrientationDerivation.run([all], settings)
        #expect(events.count == 30)
        #expect(events.allSatisfy { $0.validUntil == $0.time + 2 && $0.isFinite })
        let cut = stride(from: 0, to: 300, by: 7).map { all.slice($0..<min($0 + 7, 300)) }
        #expect(try OrientationDerivation.run(cut, settings, saving: true) == events)
        #expect(try OrientationDerivation.run([all, all], settings) == events)
        let single = try OrientationDerivation.run([all], OrientationSettings())
        #expect(single.count == 3 && single.allSatisfy { $0.validUntil == $0.time + 3 })
    }

    @Test("It is off unless it is switched on, and then published from device motion")
    func switchedOn() throws {
        var device = TestDevice()
        let frame = device.frame(
            "device-motion", uptime: 100,
            """
            "samples":{"timestamp":[100],"attitude":{"x":[0],"y":[0.7071067811865476],"z":[0],"w":[0.7071067811865476]},\
            "rotationRate":{"x":[0],"y":[0],"z":[0]},"userAcceleration":{"x":[0],"y":[0],"z":[0]},\
            "gravity":{"x":[1],"y":[0],"z":[0]},"referenceFrame":"xMagneticNorthZVertical","heading":[180],"headingAccuracy":[3.5]}
            """)
        var off = PipelineHarness()
        #expect(off.send(frame).allSatisfy { $0.kind != "orientation" })
        var on = PipelineHarness(settings: .with { $0.derive.setEnabled(OrientationDerivation.self, true) })
        let message = try #require(on.send(frame).first { $0.kind == "orientation" })
        #expect(abs((message.number("azimuth") ?? 0) - .pi) < 1e-9)
        #expect(abs(message.number("elevation") ?? 1) < 1e-9)
        #expect(message.number("accuracy") == 3.5)
        #expect(message.text("frame") == "xMagneticNorthZVertical")
        #expect(message.number("validUntil") == message.number("at").map { $0 + 3 })
        #expect(message.retain)
    }
}
