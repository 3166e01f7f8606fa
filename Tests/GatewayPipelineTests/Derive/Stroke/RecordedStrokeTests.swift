import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

// Which wrist is not stated: clockwise is the forehand in the one file, so it is taken for the left.
@Suite("Recorded strokes at table tennis", .recorded)
struct RecordedStrokeTests {
    private static let forehand = Result { try TableTennis.forehand.samples() }
    private static let backhand = Result { try TableTennis.backhand.samples() }
    private static let rest = Result { try TableTennis.rest.samples() }

    private func counts(_ samples: MotionSamples, _ settings: StrokeSettings) -> [Int] {
        let names = strokes([samples], settings).names
        return [names.count { $0 == .forehand }, names.count { $0 == .backhand }]
    }

    /// At least 85 % of the balls by their right name, at most 5 % by the wrong one, none at rest.
    private func expectTheRally(_ change: (MotionSamples) -> MotionSamples) throws {
        let (forehand, backhand) = try (change(Self.forehand.get()), change(Self.backhand.get()))
        let (first, second) = (counts(forehand, .tableTennis), counts(backhand, .tableTennis))
        #expect(Double(first[0]) >= 0.85 * forehand.balls && Double(first[1]) <= 0.05 * forehand.balls, "\(first)")
        #expect(Double(second[1]) >= 0.85 * backhand.balls && Double(second[0]) <= 0.05 * backhand.balls, "\(second)")
        #expect(try counts(change(Self.rest.get()), .tableTennis) == [0, 0])
    }

    @Test("are counted by the talk's thresholds as an independent computation counts them", .slow)
    func talk() throws {
        #expect(try counts(Self.forehand.get(), .tennis) == [71, 0])
        #expect(try counts(Self.backhand.get(), .tennis) == [8, 40])
        #expect(try counts(Self.rest.get(), .tennis) == [0, 0])
    }

    @Test("are nearly all there, with the right name, by the thresholds for table tennis")
    func tableTennis() throws {
        try expectTheRally { $0 }
        #expect(try counts(Self.forehand.get(), .tableTennis) == [82, 0])
        #expect(try counts(Self.backhand.get(), .tableTennis) == [0, 96])
    }

    @Test("stay so at other rates, wherever the samples fall", .slow, arguments: [20.0, 25, 100, 200], [0, 0.007, 0.013])
    func resampled(hertz: Double, offset: Double) throws {
        try expectTheRally { $0.resampled(hertz, offset: offset) }
    }
}
