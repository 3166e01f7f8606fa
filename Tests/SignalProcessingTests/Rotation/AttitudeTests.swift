import Foundation
import SignalProcessing
import Testing

@Suite("Attitude")
struct AttitudeTests {
    @Test("angles and gravity are Core Motion's to the digits it recorded", arguments: RecordedAttitude.all)
    func recordedAngles(recorded: RecordedAttitude) {
        let angles = Attitude.angles(of: recorded.attitude)
        #expect(abs(angles.roll - recorded.roll) < recorded.digits)
        #expect(abs(angles.pitch - recorded.pitch) < recorded.digits)
        #expect(abs(angles.yaw - recorded.yaw) < recorded.digits)
        let error = Attitude.gravity(in: recorded.attitude) - recorded.gravity
        #expect(length(error) < recorded.gravityDigits)
    }

    @Test("a quaternion and its negative are one attitude", arguments: RecordedAttitude.all)
    func doubleCover(recorded: RecordedAttitude) {
        let (positive, negative) = (recorded.attitude, -recorded.attitude)
        #expect(Attitude.angles(of: positive) == Attitude.angles(of: negative))
        #expect(Attitude.gravity(in: positive) == Attitude.gravity(in: negative))
        #expect(Attitude.angle(between: positive, and: negative) < 1e-6)
    }

    @Test("gravity agrees with the third row of a recorded rotation matrix")
    func gravityAgreesWithMatrix() {
        let row = SIMD3(0.13641050, -0.97818643, 0.15666312)
        let column = SIMD3(-0.13640568, 0.97818714, 0.15666312)
        let gravity = Attitude.gravity(in: RecordedAttitude.b.attitude)
        #expect(length(gravity + column) < 1e-6)
        #expect(length(gravity + row) > 0.1)
    }

    @Test("the relative pose has the inverse on the left")
    func relativePose() {
        let reference = SIMD4(sin(degrees(30)), 0, 0, cos(degrees(30)))
        let now = SIMD4(0.469846310, 0.171010072, 0.296198133, 0.813797681)
        let pose = Attitude.relative(now, to: reference)
        #expect(length(pose - SIMD4(0, 0.296198133, 0.171010072, 0.939692621)) < 1e-8)
        let angles = Attitude.angles(of: pose)
        #expect(abs(angles.roll - degrees(34.0246)) < degrees(0.0001))
        #expect(abs(angles.pitch - degrees(5.8144)) < degrees(0.0001))
        #expect(abs(angles.yaw - degrees(18.8478)) < degrees(0.0001))
    }

    @Test("with the inverse on the right the same turn would be a bare yaw")
    func wrongRelativePose() {
        let reference = SIMD4(sin(degrees(30)), 0, 0, cos(degrees(30)))
        let now = SIMD4(0.469846310, 0.171010072, 0.296198133, 0.813797681)
        let wrong = Quaternion.product(now, Quaternion.conjugate(reference))
        #expect(length(wrong - SIMD4(0, 0, 0.342020143, 0.939692621)) < 1e-8)
        #expect(abs(Attitude.angles(of: wrong).yaw - degrees(40)) < 1e-8)
        #expect(Attitude.angle(between: wrong, and: Attitude.relative(now, to: reference)) > degrees(30))
    }

    @Test("a pose relative to itself is no turn, and undoes its reference", arguments: RecordedAttitude.all)
    func relativeIdentity(recorded: RecordedAttitude) {
        let attitude = recorded.attitude / Quaternion.norm(recorded.attitude)
        #expect(length(Attitude.relative(attitude, to: attitude) - Quaternion.identity) < 1e-12)
        let other = RecordedAttitude.d.attitude
        let back = Quaternion.product(attitude, Attitude.relative(other, to: attitude))
        #expect(length(back - other) < 1e-12)
    }

    @Test("straight up and down, the pitch is a right angle and never NaN", arguments: [1.0, -1.0])
    func poles(sign: Double) {
        let half = sign * Double.pi / 4
        let attitude = SIMD4(sin(half), 0, 0, cos(half)) * (1 + 1e-15)
        #expect(abs(Attitude.angles(of: attitude).pitch - sign * .pi / 2) < 1e-7)
    }

    @Test(
        "the angle between attitudes is the turn's, down to a microradian", arguments: [0, 1e-6, 0.01, 1, 3, Double.pi])
    func angleBetween(angle: Double) {
        let start = RecordedAttitude.d.attitude / Quaternion.norm(RecordedAttitude.d.attitude)
        let end = Attitude.predicted(from: start, rotationRate: SIMD3(0, 0.6, 0.8) * angle, seconds: 1)
        #expect(abs(Attitude.angle(between: start, and: end) - angle) < 1e-12)
        #expect(abs(Attitude.angle(between: -end, and: start) - angle) < 1e-12)
    }

    @Test("a quarter turn a second about the device's own vertical yaws by 90 degrees in a second")
    func predictedYaw() {
        let rate = SIMD3(0, 0, Double.pi / 2)
        let turned = Attitude.predicted(from: Quaternion.identity, rotationRate: rate, seconds: 1)
        #expect(abs(Attitude.angles(of: turned).yaw - .pi / 2) < 1e-12)
    }

    @Test("rotation is about the device's axes, not the room's")
    func predictedInBodyAxes() {
        let pitched = Quaternion.rotation(by: SIMD3(degrees(60), 0, 0))
        let turned = Attitude.predicted(from: pitched, rotationRate: SIMD3(0, 1, 0), seconds: 0.5)
        #expect(abs(Attitude.angles(of: turned).pitch - degrees(60)) < 1e-12)
        #expect(abs(Attitude.angles(of: turned).roll - 0.5) < 1e-12)
    }

    @Test("a thousand small steps at a constant rate come to where one large step does")
    func predictedSteps() {
        let rate = SIMD3(0.3, -1.1, 0.7)
        let start = RecordedAttitude.d.attitude
        var steps = start
        for _ in 0..<1000 { steps = Attitude.predicted(from: steps, rotationRate: rate, seconds: 0.001) }
        let once = Attitude.predicted(from: start, rotationRate: rate, seconds: 1)
        #expect(length(steps - once) < 1e-12)
        #expect(length(Attitude.predicted(from: once, rotationRate: rate, seconds: -1) - start) < 1e-12)
    }
}
