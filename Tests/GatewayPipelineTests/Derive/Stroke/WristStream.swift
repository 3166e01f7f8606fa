import Foundation
import GatewayPipeline
import TelemetryModel

/// A wrist's turns about gravity, written one after the other as device motion; clockwise from above is positive.
struct WristStream {
    /// What was written so far.
    private(set) var samples = MotionSamples()
    /// Seconds between samples.
    let interval: Double
    private let start: Double
    private var written = 0

    /// A stream of `hertz` samples a second, the first at `start`.
    init(start: Double = 100, hertz: Double = 50) {
        self.start = start
        interval = 1 / hertz
    }

    /// The time of the next sample.
    var time: Double { start + Double(written) * interval }

    /// Writes `seconds` of a steady turn.
    mutating func steady(_ seconds: Double, rate: Double = 0) {
        for _ in 0..<Int((seconds / interval).rounded()) { write(rate) }
    }

    /// Writes half a sine wave: it turns 2/pi x `peak` x `seconds`.
    mutating func turn(_ seconds: Double, peak: Double) {
        let count = Int((seconds / interval).rounded())
        for index in 0..<count { write(peak * sin(.pi * (Double(index) + 0.5) / Double(count))) }
    }

    /// A ball of the recorded kind, 1.166 s of it: backswing, stroke, slow return; gives the time of the fastest sample.
    @discardableResult mutating func ball(peak: Double = 20) -> Double {
        steady(0.266)
        turn(0.26, peak: -peak / 2)
        let start = samples.count
        turn(0.2, peak: peak)
        let rates = (start..<samples.count).map { abs(samples.rotationRate.y[$0]) }
        let fastest = start + (rates.indices.max { rates[$0] < rates[$1] } ?? 0)
        turn(0.44, peak: -peak / 5)
        return samples.timestamp[fastest]
    }

    /// Gravity lies across two axes, and the wrist also turns about a level one.
    private mutating func write(_ rate: Double) {
        samples.append(time, attitude: SIMD4(0, 0, 0, 1))
        samples.gravity[written] = SIMD3(0, 0.8, -0.6)
        samples.rotationRate[written] = SIMD3(3, 0.8 * rate, -0.6 * rate)
        written += 1
    }
}

extension MotionSamples {
    /// The samples for which `isKept` holds.
    func filter(_ isKept: (Double) -> Bool) -> [Self] {
        timestamp.indices.filter { isKept(timestamp[$0]) }.map { slice($0..<$0 + 1) }
    }
}

extension StrokeSettings {
    static let tennis = counting(.tennis)
    static let tableTennis = counting(.tableTennis)

    /// The defaults for a game, counting whatever the workout.
    static func counting(_ preset: Preset) -> Self {
        var settings = Self(preset)
        settings.always = true
        return settings
    }
}

extension [DerivedEvent] {
    /// The strokes among them.
    var strokes: [Stroke] {
        compactMap { $0.body as? GatewayPipeline.Stroke }
    }

    /// Their names.
    var names: [Stroke.Name] { strokes.map(\.stroke) }
}

/// What follows from `frames`, with what is still undecided at their end.
func strokes(_ frames: [MotionSamples], _ settings: StrokeSettings, wrist: Side? = .left) -> [DerivedEvent] {
    StrokeDerivation.events(of: frames.map { .samples($0, wrist: wrist) }, settings, until: .infinity)
}
