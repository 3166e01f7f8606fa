@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite struct DepthTrustTests {
    private let settings = SubmersionSettings(maximumDepth: 40)

    private func verdicts(_ points: [(Double, Double)]) -> [DepthTrust.Verdict] {
        var trust = DepthTrust()
        return points.map {
            trust.judge(DepthPoint(time: DeviceTime($0.0), depth: $0.1), settings: settings)
        }
    }

    @Test("up to 4 m/s is accepted, faster is not")
    func speed() {
        #expect(verdicts([(0, 0), (1, 4)]) == [.accepted, .accepted])
        #expect(verdicts([(0, 0), (1, 4.01)]) == [.accepted, .contradiction])
        #expect(verdicts([(0, 9), (1, 4.9)]) == [.accepted, .contradiction])
    }

    @Test("the interval is floored at a quarter of a second, also where the clock steps back")
    func floor() {
        #expect(verdicts([(0, 5), (0, 6)]) == [.accepted, .accepted])
        #expect(verdicts([(0, 5), (0.01, 6.01)]) == [.accepted, .contradiction])
        #expect(verdicts([(10, 5), (2, 6)]) == [.accepted, .accepted])
        #expect(verdicts([(10, 5), (2, 6.01)]) == [.accepted, .contradiction])
    }

    @Test("an older measurement gives no time for an ascent that there was not")
    func steppingBack() {
        // 16 m in 0.1 s, whatever was measured in between with an older time.
        #expect(verdicts([(110, 16), (105.9, 16), (110.1, 0)]) == [.accepted, .accepted, .contradiction])
        #expect(verdicts([(110, 30), (100, 0), (110.1, 0)]) == [.accepted, .contradiction, .unconfirmed])
        var trust = DepthTrust()
        _ = trust.judge(DepthPoint(time: DeviceTime(110), depth: 16), settings: settings)
        trust.keepAccepted(until: DeviceTime(105.9))
        #expect(trust.judgeSurface(at: DeviceTime(110.1), settings: settings) == .contradiction)
    }

    @Test("a time that was wrong by more than an hour does not hold up later ones")
    func wrongTime() {
        let points = [(9e6, 5.0)] + (1...12).map { (Double($0), 2.0) }
        #expect(verdicts(points).last == .accepted)
    }

    @Test("the surface is not accepted before a diver could have come up from a depth in doubt", arguments: [0.4, -5, .nan])
    func surfaceAfterDoubt(reading: Double) {
        var trust = DepthTrust()
        _ = trust.judge(DepthPoint(time: DeviceTime(100), depth: 0.5), settings: settings)
        #expect(trust.judge(DepthPoint(time: DeviceTime(101), depth: 30), settings: settings) == .contradiction)
        if reading > 0 {
            _ = trust.judge(DepthPoint(time: DeviceTime(101.2), depth: reading), settings: settings)
        } else {
            trust.doubt()
        }
        #expect(trust.judgeSurface(at: DeviceTime(101.4), settings: settings) == .contradiction)
        #expect(trust.judgeSurface(at: DeviceTime(108.5), settings: settings) == .accepted)
    }

    @Test("over a long gap a great difference is no contradiction")
    func gap() {
        #expect(verdicts([(0, 30), (600, 0.5)]) == [.accepted, .accepted])
    }

    @Test("two measurements that agree with each other and with the last accepted depth end the doubt")
    func spike() {
        #expect(
            verdicts([(0, 5), (1, 30), (2, 5), (3, 5), (4, 5)])
                == [.accepted, .contradiction, .contradiction, .accepted, .accepted])
    }

    @Test("a jump upwards is accepted when the fastest ascent could have reached it")
    func jump() {
        let points = [(0.0, 20.0)] + (1...6).map { (Double($0), 1.0) }
        #expect(
            verdicts(points)
                == [.accepted, .contradiction, .unconfirmed, .unconfirmed, .unconfirmed, .accepted, .accepted])
    }

    @Test("ten seconds of agreement end the doubt however far the jump was")
    func recovery() {
        let points = [(0.0, 9000.0)] + (1...12).map { (Double($0), 2.0) }
        let expected: [DepthTrust.Verdict] =
            [.accepted, .contradiction] + Array(repeating: .unconfirmed, count: 9) + [.accepted, .accepted]
        #expect(verdicts(points) == expected)
    }

    @Test("a sensor that alternates is never accepted")
    func erratic() {
        let points = [(0.0, 20.0)] + (1...40).map { (Double($0) / 3, $0.isMultiple(of: 2) ? 20.0 : 2.0) }
        #expect(!verdicts(points).dropFirst().contains(.accepted))
    }

    @Test("deeper than any water is a contradiction from the first measurement on")
    func absurd() {
        #expect(
            verdicts([(0, 1e308), (1, 1e308), (2, 3), (3, 3)])
                == [.contradiction, .contradiction, .unconfirmed, .accepted])
    }

    @Test("the surface is accepted only if a diver could have come up since")
    func surface() {
        var trust = DepthTrust()
        #expect(trust.judge(DepthPoint(time: DeviceTime(0), depth: 5), settings: settings) == .accepted)
        var later = trust
        #expect(trust.judgeSurface(at: DeviceTime(1), settings: settings) == .contradiction)
        #expect(trust.isInDoubt)
        #expect(later.judgeSurface(at: DeviceTime(2), settings: settings) == .accepted)
        #expect(later.accepted == DepthPoint(time: DeviceTime(2), depth: 0))
    }

    @Test("a report of the surface older than a depth in the water is not accepted, one of another hour is")
    func oldSurface() {
        func verdict(_ depth: Double, measuredAt time: Double, surfaceAt surface: Double) -> DepthTrust.Verdict {
            var trust = DepthTrust()
            _ = trust.judge(DepthPoint(time: DeviceTime(time), depth: depth), settings: settings)
            return trust.judgeSurface(at: DeviceTime(surface), settings: settings)
        }
        #expect(verdict(0.5, measuredAt: 100, surfaceAt: 90) == .contradiction)
        #expect(verdict(0.5, measuredAt: 100, surfaceAt: 99.8) == .accepted)
        #expect(verdict(0.5, measuredAt: 100, surfaceAt: 100) == .accepted)
        #expect(verdict(0.1, measuredAt: 100, surfaceAt: 90) == .accepted)
        #expect(verdict(0.5, measuredAt: 9e6, surfaceAt: 100) == .accepted)
    }
}
