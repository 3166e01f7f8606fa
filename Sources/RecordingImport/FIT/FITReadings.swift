import FITDecoding
import TelemetryModel

/// The readings of one stream in the records of a FIT file.
final class FITReadings: Readings {
    /// Makes readings of records, which come in order of time; nil where a record holds nothing for the stream.
    protocol Conversion {
        mutating func reading(of record: FITRecord, at time: UInt32) -> Reading?
    }

    private let records: FITRecords
    private var conversion: any Conversion
    private let clock: FITClock
    private var last: (time: UInt32, reading: Reading)?

    init(_ records: FITRecords, conversion: any Conversion, clock: FITClock) {
        (self.records, self.conversion, self.clock) = (records, conversion, clock)
    }

    var report: FileReport { records.report }

    func next() throws(ImportProblem) -> TimedReading? {
        while let (time, record) = try records.next() {
            guard let reading = conversion.reading(of: record, at: time) else {
                records.countBlank()
                continue
            }
            if let last, last.time == time, !reading.mayShareInstant || reading.repeats(last.reading) {
                records.countRepeated()
                continue
            }
            last = (time, reading)
            return TimedReading(micros: clock.micros(time), reading: reading)
        }
        return nil
    }
}

/// The times of FIT on the clock of a recording.
struct FITClock {
    /// Unix seconds of FIT's zero, 1989-12-31.
    private static let zero: Int64 = 631_065_600
    /// Smaller times count from the start of the device.
    private static let firstDate: UInt32 = 0x1000_0000
    /// The device time of the first record, in microseconds: no device sends at 0.
    private static let lead: Int64 = 1_000_000

    /// The time of the first record.
    let first: UInt32

    /// Whether the times are dates.
    var isDated: Bool { first >= Self.firstDate }

    /// Unix microseconds at which the clock showed 0: by `start`, the unix time of `origin`, or else by the times themselves; nil where
    /// these are no dates.
    func epoch(start: Double?, of origin: UInt32) -> Int64? {
        if let start { return Int64((start * 1e6).rounded()) + (Int64(first) - Int64(origin)) * 1_000_000 - Self.lead }
        return isDated ? (Int64(first) + Self.zero) * 1_000_000 - Self.lead : nil
    }

    /// Microseconds of the clock.
    func micros(_ time: UInt32) -> Int64 { (Int64(time) - Int64(first)) * 1_000_000 + Self.lead }
}

/// Depths, pressures and water temperatures.
struct FITWater: FITReadings.Conversion {
    /// The pressure of the air, where it is said.
    let surfacePressure: WaterReading.Measured?

    func reading(of record: FITRecord, at time: UInt32) -> Reading? {
        var water = Self.water(record)
        guard water != WaterReading() else { return nil }
        if water.pressure != nil { water.surfacePressure = surfacePressure }
        return .water(water)
    }

    /// What a record has.
    static func water(_ record: FITRecord) -> WaterReading {
        let measured = { (value: Double?, unit: String) in value.map { WaterReading.Measured(value: $0, unit: unit) } }
        return WaterReading(
            depth: measured(record.depth, "m"), pressure: measured(record.absolutePressure, "Pa"),
            temperature: measured(record.temperature, "C"))
    }
}

/// Altitudes, relative to the first, with the pressure of the air where there is one.
struct FITAltitude: FITReadings.Conversion {
    /// What the gateway takes for a pressure of the air, in Pa.
    private static let air = 30_000.0...120_000

    private var first: Double?

    mutating func reading(of record: FITRecord, at time: UInt32) -> Reading? {
        guard let altitude = record.altitude else { return nil }
        let zero = first ?? altitude
        first = zero
        let pressure = record.absolutePressure.flatMap { Self.air.contains($0) ? $0 / 1000 : nil }
        return .altitude(AltitudeReading(relativeAltitude: altitude - zero, pressure: pressure))
    }
}

/// Steps, counted from the cadence while the timer runs, with distance and pace.
struct FITSteps: FITReadings.Conversion {
    /// Longer holes between records count no steps, in seconds.
    private static let longestHole: UInt32 = 60
    /// The most steps a second and the greatest speed in m/s that anyone runs.
    private static let (fastestCadence, fastestSpeed) = (6.0, 12.5)

    private let content: FITContent
    private var nextEvent = 0
    private var isRunning: Bool
    private var begin: UInt32?
    /// The last cadence, in steps a second.
    private var last: Double?
    /// Until when the timer was followed, and the seconds that it ran since the last record with a cadence.
    private var (followed, ran): (UInt32, UInt32) = (0, 0)
    private var steps = 0.0

    init(_ content: FITContent) {
        self.content = content
        // Without a start, what came before the first event ran.
        isRunning = content.timer.first?.event != .start
    }

    mutating func reading(of record: FITRecord, at time: UInt32) -> Reading? {
        follow(until: time)
        begin = begin ?? time
        guard content.sport(at: time).isOnFoot, let strides = record.cadence else { return nil }
        let cadence = strides * 2 / 60
        guard (0...Self.fastestCadence).contains(cadence) else { return nil }
        if let last, ran <= Self.longestHole { steps += (last + cadence) / 2 * Double(ran) }
        (last, ran) = (cadence, 0)
        let seconds = Double(time - (begin ?? time))
        let distance = record.distance.flatMap { $0 >= 0 && $0 <= Self.fastestSpeed * max(1, seconds) ? $0 : nil }
        let pace = record.speed.flatMap { $0 > 0.2 && $0 <= Self.fastestSpeed ? 1 / $0 : nil }
        return .pedometer(PedometerReading(steps: Int(steps), distance: distance, pace: pace, cadence: cadence))
    }

    /// Adds the seconds that the timer ran from the last record on.
    private mutating func follow(until time: UInt32) {
        if begin == nil { followed = time }
        while nextEvent < content.timer.count, content.timer[nextEvent].time <= time {
            pass(until: content.timer[nextEvent].time)
            isRunning = content.timer[nextEvent].event == .start
            nextEvent += 1
        }
        pass(until: time)
    }

    private mutating func pass(until time: UInt32) {
        guard time > followed else { return }
        if isRunning { ran = ran.addingSaturated(time - followed) }
        followed = time
    }
}
