import TelemetryModel

extension Pace: DerivedBody {
    /// `pace`.
    package static let kind = DerivedKind<Self>(
        "pace", retained: true, kept: true,
        "Whether somebody walks or runs, how fast, and the totals since the count began; at once when the state changes.",
        fields: [
            .choice("state", "The state from now on.", \.state),
            .choice("previous", "The state of the message before.", \.previous),
            .choice("cause", "Why the state is what it is; a restart is the gateway's.", \.cause),
            .number(
                "pace", unit: "s/m", "Smoothed; null while standing, under 0.2 m/s, and without a measured distance.", \.pace),
            .number("cadence", unit: "steps/s", "Smoothed; null while standing.", \.cadence),
            .number("devicePace", unit: "s/m", "The pace as the device has it; null where it does not say.", \.devicePace),
            .integer("steps", "Steps of the count.", \.totals.steps.wholeCount),
            .number("distance", unit: "m", "Distance of the count; null where none was measured.", \.totals.distance),
            .seconds("movingTime", "Time of the count without pauses.", \.totals.movingTime),
            .seconds("elapsedTime", "Time since the count began.", \.totals.elapsedTime),
            .number(
                "movingPace", unit: "s/m", "Moving time over distance: the mean pace without pauses; null without a distance.",
                \.totals.movingPace),
            .integer("floorsAscended", "Floors climbed in the count; null where they are not measured.") {
                $0.totals.floorsAscended.map(\.wholeCount)
            },
            .integer("floorsDescended", "Floors descended in the count; null where they are not measured.") {
                $0.totals.floorsDescended.map(\.wholeCount)
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
            .instant("start", "When it began.", \.start),
            .instant("end", "When it ended.", \.end),
            .seconds("duration", "From start to end, in device time.", \.duration),
            .integer("steps", "Steps in it.", \.steps.wholeCount),
            .number("distance", unit: "m", "Its distance; null where none was measured.", \.distance),
            .number("averagePace", unit: "s/m", "Duration over distance; null without a distance.", \.averagePace),
            .number("cadence", unit: "steps/s", "Steps over duration; null without a duration.", \.cadence),
            .number("stepLength", unit: "m", "Distance over steps; null without either.", \.stepLength),
            .number("coverage", "The part of the duration in which data came at least every 10 s, 0 to 1.", \.coverage),
            .number("ascent", unit: "m", "Up in it; null, as all that follows, without altitude.", \.climb?.ascent),
            .number("descent", unit: "m", "Down in it.", \.climb?.descent),
            .number("netClimb", unit: "m", "The altitude at the end less that at the start.", \.climb?.netClimb),
            .choice("hill", "Which hill it is; null where it is none.", \.climb?.hill),
            .number("averageGrade", "Net climb over distance; null without a distance.", \.climb?.averageGrade),
            .number(
                "gradeAdjustedPace", unit: "s/m",
                "The pace on level ground at the same cost; null under 2.2 steps/s and where the altitude of less than 90 % of it is known.",
                \.climb?.gradeAdjustedPace),
            .number(
                "energy", unit: "kJ/kg",
                "What it cost for each kg of body mass; null where the altitude of less than 90 % of it is known.",
                \.climb?.energy),
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
            .number("netClimb", unit: "m", "The altitude at the end less that at the start; negative downhill.", \.netClimb),
            .number("distance", unit: "m", "The distance.", \.segment.distance),
            .seconds("duration", "From start to end, in device time.", \.segment.duration),
            .number("verticalSpeed", unit: "m/min", "Net climb over duration.", \.verticalSpeed),
            .integer("hill", "The number of the hill, from 1; the device's hills are numbered as they are found.", \.hill),
            .integer("attempt", "How often it has been run, this time included.", \.attempt),
            .seconds("bestDuration", "The shortest time, this one included.", \.bestDuration),
            .seconds("previousDuration", "The time before this one; null of the first attempt.", \.previousDuration),
            .integer("rank", "The place of this time among all on the hill, from 1.", \.rank),
            .flag("isFirst", "Whether no hill of the device was run before.", \.isFirst),
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
