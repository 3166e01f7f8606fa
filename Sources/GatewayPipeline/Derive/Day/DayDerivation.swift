internal import Foundation
import TelemetryModel

/// `day`: the activity of each UTC day, from the history of a device.
///
/// It is derived from all samples of the day, whatever the order in which they came. Gaps are not counted as rest: `coverage` says how much
/// of the day is known.
package struct DayDerivation: HistoryDerivation {
    /// `day`.
    package static let declaration = DerivationDeclaration(
        "day", version: 2, streams: [.recordedAccelerometer], kinds: [ActivityDay.self],
        "Activity, wear and steps of each UTC day, from recorded acceleration.")

    /// The last message of each day, by days since 1970.
    private var published: [Int: ActivityDay] = [:]

    /// No day.
    package init() {}

    /// Figures of each day.
    package static func pass(over days: HistoryDays, settings: DaySettings) -> (any HistoryPass)? { DayPass(of: days) }

    /// Publishes each day that differs from what was published of it.
    package mutating func take(
        _ view: HistoryView, _ pass: (any HistoryPass)?, settings: DaySettings, into events: inout [DerivedEvent]
    ) {
        guard let found = pass as? DayPass else { return }
        for day in view.days {
            guard let figures = found.figures[day] else { continue }
            var activity = Self.activity(of: day, figures, in: view, settings)
            if let last = published[day] {
                activity.revision = last.revision
                if activity == last { continue }
                activity.revision += 1
            }
            published[day] = activity
            events.append(
                DerivedEvent(
                    time: DeviceTime(Double(day) * HistoryDay.seconds), quality: figures.isCalibrated ? .valid : .fault,
                    body: activity))
        }
        published.keepLast(HistoryTrack.rememberedDays)
    }

    private static func activity(
        of day: Int, _ figures: DayFigures, in view: HistoryView, _ settings: DaySettings
    ) -> ActivityDay {
        let range = view.epochs.range(ofDay: day)
        let seconds = Double(Epoch.seconds)
        var (covered, worn, sum, number) = (0, 0, 0.0, 0)
        var levels = [0, 0, 0, 0]
        for (index, enmo) in zip(range, figures.enmo) {
            let epoch = view.epochs.values[index]
            guard epoch.count > 0 else { continue }
            covered += epoch.coveredSeconds
            let state = view.wear.state(index)
            if state == .worn { worn += epoch.coveredSeconds }
            guard state != .notWorn, !enmo.isNaN else { continue }
            sum += enmo
            number += 1
            let level = [settings.lightMilliG, settings.moderateMilliG, settings.vigorousMilliG].count { enmo >= $0 }
            levels[level] += 1
        }
        func time(_ level: Int) -> Double? { figures.isCalibrated ? Double(levels[level]) * seconds : nil }
        return ActivityDay(
            date: date(of: day), coverage: rounded(Double(covered) / HistoryDay.seconds, 10_000), worn: Double(worn),
            meanENMO: number > 0 ? rounded(sum / Double(number), 100) : nil, sedentary: time(0), light: time(1),
            moderate: time(2), vigorous: time(3), estimatedSteps: figures.steps,
            stepsConfidence: figures.stepsConfidence.map { rounded($0, 100) }, revision: 0)
    }

    private static func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }

    /// The date of a day since 1970, in the Gregorian calendar.
    private static func date(of day: Int) -> String {
        String(Date(timeIntervalSince1970: Double(day) * HistoryDay.seconds).ISO8601Format().prefix(10))
    }
}
