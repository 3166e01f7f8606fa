import SignalProcessing
import TelemetryModel

/// Minutes of tremor from samples of the total acceleration in order of time.
struct TremorTrack: Sendable, Equatable, Codable {
    /// What the windows of a minute were.
    private struct Minute: Sendable, Equatable, Codable {
        var number: Int
        var still = 0
        /// Slight, mild, moderate and severe.
        var grades = [0, 0, 0, 0]
        /// The windows with tremor in which the arm moves.
        var moving = 0
        var hertz = 0.0
        var centimeters = 0.0
    }

    private var sampler = EvenSampler<SIMD4<Double>>()
    private var kept = QuantizedSeries(scales: [scale, scale, scale])
    private var minute: Minute?
    /// The last minute that has ended: samples of it that come later begin none; nil before the first.
    private var ended: Int?

    /// 1/4000 G, up to 8 G: a window with more is unknown all the same.
    private static let scale = 1.0 / 4_000
    /// The longest gap that is bridged, in cells: 0.1 s.
    private static let longestGap = 5
    /// The windows of a minute, 2 s apart; half of them must be known.
    private static let windows = 30
    private static let limits = [1.0, 3, 10]

    /// The end of the minute that is under way, in s; nil where there is none.
    var end: Double? { minute.map { 60 * Double($0.number + 1) } }

    /// Adds a sample: its time in s and the acceleration in G. The minute that it makes complete is added to `found`, if at least half
    /// of it is known.
    mutating func add(time: Double, _ total: SIMD3<Double>, _ settings: TremorSettings, to found: inout [Tremor]) {
        let cells = sampler.step(
            time: time, SIMD4(total, 0), hertz: TremorWindow.hertz, longestGap: Self.longestGap)
        for cell in cells { add(cell, settings, to: &found) }
    }

    /// Ends the minute that is under way, and adds it to `found` if at least half of it is known.
    mutating func close(into found: inout [Tremor]) {
        guard let minute else { return }
        self.minute = nil
        ended = minute.number
        let trembling = minute.grades.reduce(0, +)
        let known = minute.still + trembling
        guard 2 * known >= Self.windows else { return }
        let start = DeviceTime(60 * Double(minute.number))
        var tremor = Tremor(start: start, end: start + 60)
        func share(_ count: Int) -> Double { Double(count) / Double(Self.windows) }
        tremor.none = share(minute.still)
        (tremor.slight, tremor.mild) = (share(minute.grades[0]), share(minute.grades[1]))
        (tremor.moderate, tremor.severe) = (share(minute.grades[2]), share(minute.grades[3]))
        (tremor.rest, tremor.action) = (share(trembling - minute.moving), share(minute.moving))
        tremor.unknown = share(Self.windows - known)
        if trembling > 0 {
            tremor.frequency = minute.hertz / Double(trembling)
            tremor.amplitude = minute.centimeters / Double(trembling)
        }
        found.append(tremor)
    }

    private mutating func add(_ cell: EvenSampler<SIMD4<Double>>.Cell, _ settings: TremorSettings, to found: inout [Tremor]) {
        if cell.isFirst { kept.removeAll() }
        kept.append(cell.values)
        kept.keep(TremorWindow.cells)
        // Every 2 s of the clock, wherever frames and recordings begin.
        guard cell.number % 100 == 99 else { return }
        let number = cell.number / Int(60 * TremorWindow.hertz)
        guard number != ended else { return }
        if minute?.number != number {
            close(into: &found)
            minute = Minute(number: number)
        }
        guard kept.count == TremorWindow.cells else { return }
        switch TremorWindow(kept.vectors(0), settings) {
        case .unknown: break
        case .none: minute?.still += 1
        case .tremor(let hertz, let centimeters, let isMoving):
            minute?.grades[Self.limits.count { centimeters > $0 }] += 1
            minute?.moving += isMoving ? 1 : 0
            minute?.hertz += hertz
            minute?.centimeters += centimeters
        }
    }
}
