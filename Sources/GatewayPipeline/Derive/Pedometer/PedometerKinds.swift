import TelemetryModel

extension Pace: DerivedBody {
    /// `pace`.
    package static let kind = DerivedKind<Self>(
        "pace", retained: true, kept: true,
        "Whether somebody walks or runs, how fast, and the totals since the count began; at once when the state changes.",
        fields: [
            .init("state", values: State.allCases.map(\.rawValue), "The state from now on.") { .text($0.state.rawValue) },
            .init("previous", values: State.allCases.map(\.rawValue), "The state of the message before.") {
                .text($0.previous.rawValue)
            },
            .init("cause", values: Cause.allCases.map(\.rawValue), "Why the state is what it is; a restart is the gateway's.") {
                .text($0.cause.rawValue)
            },
            .init("pace", unit: "s/m", "Smoothed; null while standing, under 0.2 m/s, and without a measured distance.") {
                .number($0.pace)
            },
            .init("cadence", unit: "steps/s", "Smoothed; null while standing.") { .number($0.cadence) },
            .init("devicePace", unit: "s/m", "The pace as the device has it; null where it does not say.") {
                .number($0.devicePace)
            },
            .init("steps", type: .number, "Steps of the count.") { .integer($0.totals.steps.wholeCount) },
            .init("distance", unit: "m", "Distance of the count; null where none was measured.") {
                .number($0.totals.distance)
            },
            .init("movingTime", unit: "s", "Time of the count without pauses.") { .seconds($0.totals.movingTime) },
            .init("elapsedTime", unit: "s", "Time since the count began.") { .seconds($0.totals.elapsedTime) },
            .init("movingPace", unit: "s/m", "Moving time over distance: the mean pace without pauses; null without a distance.")
            {
                .number($0.totals.movingPace)
            },
            .init("floorsAscended", type: .number, "Floors climbed in the count; null where they are not measured.") {
                .integer($0.totals.floorsAscended.map(\.wholeCount))
            },
            .init("floorsDescended", type: .number, "Floors descended in the count; null where they are not measured.") {
                .integer($0.totals.floorsDescended.map(\.wholeCount))
            },
        ],
        view: KindView(
            .run,
            event: { fields in
                let (state, before) = (fields.text("state"), fields.textBefore("state"))
                guard state != before else { return nil }
                switch state {
                case State.moving.rawValue: return Phrase(before == nil ? "runs" : "runs on", .good)
                case State.paused.rawValue:
                    return Phrase("stands" + (fields.measure("distance", 0).map { " after \($0)" } ?? ""), .notice)
                default: return before == nil ? nil : Phrase("no steps received", .warning)
                }
            },
            cell: .init(.pace) { fields in
                guard let state = fields.text("state") else { return [] }
                let distance = fields.measure("distance", 0).map { " \($0)" } ?? ""
                guard fields.isCurrent, state != State.unknown.rawValue else {
                    return [.text(distance.isEmpty ? "? no steps received" : "? was at\(distance)", .was)]
                }
                if state == State.paused.rawValue { return [.text("stands", .quiet), .text(distance)] }
                return [.text(fields.number("pace").map(\.perKilometer) ?? "moves", .strong), .text(distance)]
            },
            details: [.messages(1)], trend: "pace")
    ) { "\($0.previous.rawValue)>\($0.state.rawValue):\($0.cause.rawValue)" }
}

extension Segment: DerivedBody {
    /// `segment`.
    package static let kind = DerivedKind<Self>(
        "segment", retained: false, "One stretch of walking or running, from a resumption to a pause.",
        fields: [
            .init("start", type: .instant, "When it began.") { .instant($0.start) },
            .init("end", type: .instant, "When it ended.") { .instant($0.end) },
            .init("duration", unit: "s", "From start to end, in device time.") { .seconds($0.duration) },
            .init("steps", type: .number, "Steps in it.") { .integer($0.steps.wholeCount) },
            .init("distance", unit: "m", "Its distance; null where none was measured.") { .number($0.distance) },
            .init("averagePace", unit: "s/m", "Duration over distance; null without a distance.") { .number($0.averagePace) },
            .init("cadence", unit: "steps/s", "Steps over duration; null without a duration.") { .number($0.cadence) },
            .init("stepLength", unit: "m", "Distance over steps; null without either.") { .number($0.stepLength) },
            .init("coverage", type: .number, "The part of the duration in which data came at least every 10 s, 0 to 1.") {
                .number($0.coverage)
            },
            .init("ascent", unit: "m", "Up in it; null, as all that follows, without altitude.") { .number($0.climb?.ascent) },
            .init("descent", unit: "m", "Down in it.") { .number($0.climb?.descent) },
            .init("netClimb", unit: "m", "The altitude at the end less that at the start.") { .number($0.climb?.netClimb) },
            .init("hill", values: SegmentClimb.Hill.allCases.map(\.rawValue), "Which hill it is; null where it is none.") {
                .text($0.climb?.hill?.rawValue)
            },
            .init("averageGrade", type: .number, "Net climb over distance; null without a distance.") {
                .number($0.climb?.averageGrade)
            },
            .init(
                "gradeAdjustedPace", unit: "s/m",
                "The pace on level ground at the same cost; null under 2.2 steps/s and where the altitude of less than 90 % of it is known."
            ) { .number($0.climb?.gradeAdjustedPace) },
            .init(
                "energy", unit: "kJ/kg",
                "What it cost for each kg of body mass; null where the altitude of less than 90 % of it is known."
            ) { .number($0.climb?.energy) },
        ],
        view: KindView(
            .run,
            event: { fields in
                let pace = fields.number("averagePace").map(\.perKilometer)
                let climb = fields.measure("netClimb", 0, sign: .always)
                let list = Phrase(list: [fields.measure("distance", 0), fields.measure("duration", 0), pace, climb])
                return Phrase("segment: \(list.text)")
            }, tallies: [.messages("segment")], episode: .init(nil))
    ) { $0.token }

    /// What distinguishes it from others that end with it.
    fileprivate var token: String { "\(start.microseconds)" }
}

extension HillAttempt: DerivedBody {
    /// `hill`.
    package static let kind = DerivedKind<Self>(
        "hill", retained: false, "One run up or down a hill, compared with those before on the same one; follows its segment.",
        fields: [
            .init("segment", "The id of its segment.") {
                .message(kind: "segment", at: $0.segment.end, discriminator: $0.segment.token)
            },
            .init("netClimb", unit: "m", "The altitude at the end less that at the start; negative downhill.") {
                .number($0.netClimb)
            },
            .init("distance", unit: "m", "The distance.") { .number($0.segment.distance) },
            .init("duration", unit: "s", "From start to end, in device time.") { .seconds($0.segment.duration) },
            .init("verticalSpeed", unit: "m/min", "Net climb over duration.") { .number($0.verticalSpeed) },
            .init("hill", type: .number, "The number of the hill, from 1; the device's hills are numbered as they are found.") {
                .integer($0.hill)
            },
            .init("attempt", type: .number, "How often it has been run, this time included.") { .integer($0.attempt) },
            .init("bestDuration", unit: "s", "The shortest time, this one included.") { .seconds($0.bestDuration) },
            .init("previousDuration", unit: "s", "The time before this one; null of the first attempt.") {
                .seconds($0.previousDuration)
            },
            .init("rank", type: .number, "The place of this time among all on the hill, from 1.") { .integer($0.rank) },
            .init("isFirst", type: .flag, "Whether no hill of the device was run before.") { .flag($0.isFirst) },
        ],
        view: KindView(
            .run,
            event: { fields in
                let place = fields.integer("rank").map { ", place \($0) of \(fields.integer("attempt") ?? $0)" } ?? ""
                return Phrase("hill of \(fields["netClimb", 0]) in \(fields["duration", 0])\(place)", .good)
            }, tallies: [.messages("hill")])
    ) { "\($0.segment.start.microseconds)" }
}

extension Double {
    /// A count as a whole number; it was spread over time.
    var wholeCount: Int { Int(exactly: rounded()) ?? .max }
}

extension ViewColumn {
    /// State and pace of somebody who walks or runs, and the distance.
    static let pace = ViewColumn("pace", "Pace", place: 5)
}
