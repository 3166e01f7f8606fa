@testable import FleetSimulator
import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import StateCoding
import TelemetryModel
import Testing

@Suite("The speed of a bat")
struct BatSpeedTests {
    private let settings = SwingSettings.with {
        ($0.batLength, $0.batPoint) = (0.84, 0.7)
    }

    /// Rotation rates, points and grips, and |w x R| by hand: R = (0.6 + p cos g, p sin g, 0).
    private static let cases: [(rate: SIMD3<Double>, point: Double, grip: Double, speed: Double)] = [
        (SIMD3(0, 0, 10), 0.8, 90, 10), (SIMD3(0, 0, 10), 0.3, 90, 6.70820393249937),
        (SIMD3(10, 0, 0), 0.8, 90, 8), (SIMD3(0, 10, 0), 0.8, 90, 6), (SIMD3(0, 0, 10), 0.4, 0, 10),
        (SIMD3(3, -4, 12), 0.7, 60, 0),
    ]

    @Test("It is |w x R|", arguments: cases)
    func formula(rate: SIMD3<Double>, point: Double, grip: Double, speed: Double) {
        let settings = SwingSettings.with { ($0.batLength, $0.batPoint, $0.batGrip) = (1, point, grip) }
        let angle = grip * .pi / 180
        let lever = SIMD3(0.6 + point * cos(angle), point * sin(angle), 0)
        let cross = SIMD3(
            rate.y * lever.z - rate.z * lever.y, rate.z * lever.x - rate.x * lever.z, rate.x * lever.y - rate.y * lever.x)
        #expect(abs(BatTrace.speed(rate, settings) - (cross * cross).sum().squareRoot()) < 1e-12)
        if rate.x * rate.y * rate.z == 0 { #expect(abs(BatTrace.speed(rate, settings) - speed) < 1e-9) }
    }

    @Test("The greatest of the 50 ms before the impact, at the impact, and whether the gyroscope was at its limit")
    func window() throws {
        var trace = BatTrace()
        for index in 0..<400 {
            let rate = index == 195 ? 36.0 : index == 180 ? 40 : 10
            trace.append(time: 50 + Double(index) / 200, rate: SIMD3(0, 0, rate), settings)
        }
        let unit = BatTrace.speed(SIMD3(0, 0, 1), settings)
        let hit = trace.swing(from: 50.5, to: 51, impact: 51.0025, peak: 50.9)
        #expect(abs((hit.greatest ?? 0) - 36 * unit) < 1e-9)
        #expect(abs((hit.atContact ?? 0) - 10 * unit) < 1e-9)
        #expect(hit.saturated)
        let miss = trace.swing(from: 50, to: 50.8, impact: nil, peak: 50.5)
        #expect(abs((miss.greatest ?? 0) - 10 * unit) < 1e-9)
        #expect(miss.atContact == nil && !miss.saturated)
    }

    private func swings(_ change: (inout SwingSettings) -> Void) -> [DerivedJSON] {
        var settings = PipelineHarness.settings
        change(&settings.derive[SwingDerivation.self])
        let batter = Batter(
            DeviceOrigin(device: "batter", unix: 1_763_749_000, uptime: 5_321.25, seed: 1, duration: 12),
            options: BatterOptions(
                swings: .listed([
                    Swing(start: 3, timeToContact: 0.24, peakRotationRate: 17, impactAcceleration: 28),
                    Swing(start: 7, timeToContact: 0.2, peakRotationRate: 18),
                ])))
        return PipelineHarness.run(batter, settings: settings).filter { $0.kind == "swing" }
    }

    @Test("Every swing has it where the bat is described, and none elsewhere")
    func published() throws {
        let plain = swings { _ in }
        #expect(plain.count == 2)
        for key in ["batSpeed", "batSpeedAtContact", "saturated", "calibrated"] {
            #expect(plain.allSatisfy { $0.isNull(key) })
        }
        let described = swings { ($0.batLength, $0.batPoint) = (0.84, 0.7) }
        #expect(described.count == 2)
        for swing in described {
            let isHit = swing.flag("contact") == true
            // The wrist turns by up to 17 or 18 rad/s about gravity, and rolls besides.
            #expect((8...40).contains(swing.number("batSpeed") ?? 0))
            #expect(swing.isNull("batSpeedAtContact") != isHit)
            #expect(swing.flag("saturated") == false && swing.flag("calibrated") == false)
        }
        let scaled = swings { ($0.batLength, $0.batPoint, $0.batScale) = (0.84, 0.7, 1.65) }
        for (scaled, described) in zip(scaled, described) {
            #expect(scaled.flag("calibrated") == true)
            #expect(abs((scaled.number("batSpeed") ?? 0) / (described.number("batSpeed") ?? 1) - 1.65) < 1e-9)
        }
    }

    @Test("A state without it, and one with it, are read")
    func stored() throws {
        var derivation = SwingDerivation()
        var samples = MotionSamples()
        for index in 0..<100 {
            samples.append(100 + Double(index) / 200, gravity: SIMD3(0, 0, -1), rate: SIMD3(0, 0, 5))
        }
        _ = derivation.take(BatchedIMU(deviceMotion: samples), settings)
        #expect(derivation.bat != nil)
        #expect(try StateCoder.decode(SwingDerivation.self, from: StateCoder.encode(derivation)) == derivation)
        _ = derivation.take(BatchedIMU(deviceMotion: samples), SwingSettings())
        #expect(derivation.bat == nil)
    }
}
