internal import Foundation
import TelemetryModel

/// Sets in recorded acceleration. Each UTC day is counted by itself, from some minutes before it to some after, so that its sets depend on
/// those samples alone, whatever the order in which days are derived. A set belongs to the day in which it begins.
struct RepetitionPass: HistoryPass {
    /// The minutes before and after a day.
    private static let margin = 5

    private let settings: RepetitionSettings
    private var open: OpenDays<Day>
    /// The sets of the days that have ended, their times in unix s.
    private(set) var sets: [Int: [RepetitionSet]] = [:]

    /// One day.
    private struct Day {
        let number: Int
        private var track = RepetitionTrack()
        private var gravity = GravityEstimate()
        private var events: [DerivedEvent] = []

        init(_ number: Int) { self.number = number }

        /// The minute from which its times count: unix times are too great for the track's cells.
        private var origin: Int { number * HistoryDay.minutes - RepetitionPass.margin }

        mutating func add(_ minute: HistoryMinute, _ settings: RepetitionSettings) {
            let start = 60 * Double(minute.minute - origin)
            for index in 0..<minute.count {
                let (time, acceleration) = (start + Double(minute.times[index]) / 1e6, minute.acceleration(index))
                let direction = gravity.step(acceleration, at: time)
                track.add(
                    time: time, RepetitionSample.values(gravity: direction, rate: .zero, acceleration: acceleration), settings,
                    into: &events)
            }
        }

        mutating func end(_ settings: RepetitionSettings) { track.finish(settings, into: &events) }

        /// The sets that begin in the day, numbered from 1.
        var sets: [RepetitionSet] {
            let offset = 60 * Double(origin)
            let (start, end) = (Double(number) * HistoryDay.seconds, Double(number + 1) * HistoryDay.seconds)
            var sets: [RepetitionSet] = []
            for case var set as RepetitionSet in events.map(\.body) {
                set.start = DeviceTime(set.start.seconds + offset)
                set.end = DeviceTime(set.end.seconds + offset)
                guard set.start.seconds >= start, set.start.seconds < end else { continue }
                set.set = sets.count + 1
                // Gravity is the slow part of the acceleration here: it turns less than the wrist does.
                set.rangeOfMotion = nil
                sets.append(set)
            }
            return sets
        }
    }

    /// Sets of `days`.
    init(of days: HistoryDays, _ settings: RepetitionSettings) {
        (open, self.settings) = (OpenDays(of: days, margin: Self.margin), settings)
    }

    /// Adds a minute.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs) {
        close(before: minute.minute)
        open.update(at: minute.minute, begin: Day.init, add: { $0.add(minute, settings) })
    }

    /// Ends all days.
    mutating func finish(_ epochs: Epochs) { close(before: .max) }

    private mutating func close(before minute: Int) {
        for case (let number, var day) in open.close(before: minute) {
            day.end(settings)
            sets[number] = day.sets
        }
    }
}

/// The direction of gravity where only the whole acceleration is known: its part below 0.3 Hz.
struct GravityEstimate: Sendable, Equatable, Codable {
    private static let hertz = 0.3
    /// After such a time without samples, in s, it begins anew.
    private static let longestGap = 5.0

    private var slow: SIMD3<Double>?
    private var time = 0.0

    /// The direction at `time` in s, of unit length, after another sample in G.
    mutating func step(_ acceleration: SIMD3<Double>, at time: Double) -> SIMD3<Double> {
        let elapsed = time - self.time
        let before = elapsed <= Self.longestGap ? slow ?? acceleration : acceleration
        let slow = before + (acceleration - before) * (1 - exp(-max(0, elapsed) * 2 * .pi * Self.hertz))
        (self.slow, self.time) = (slow, time)
        return slow / max(1e-3, (slow * slow).sum().squareRoot())
    }
}
