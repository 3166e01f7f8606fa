/// The state of somebody who trains: repetitions, punches and poses.
package struct ExerciseState: Sendable, Hashable {
    /// The set that is under way, by the latest `repetition`.
    package struct OpenSet: Sendable, Hashable {
        /// The repetitions so far.
        package var count: Int
        /// Its number in the workout.
        package var number: Int
        /// Until when the count holds.
        package var validity: Validity
    }

    /// The pose that is held.
    package struct Pose: Sendable, Hashable {
        /// Its name, safe to print.
        package var name: String
        /// Since when, unix seconds.
        package var since: Double?
        /// The RMS angle from its own mean, rad.
        package var sway: Double?
        /// Until when it holds.
        package var validity: Validity
    }

    /// Nil between sets.
    package private(set) var openSet: OpenSet?
    /// Nil between poses.
    package private(set) var pose: Pose?
    /// The sets that have ended.
    package private(set) var sets = 0
    /// Their repetitions.
    package private(set) var repetitions = 0
    /// Punches of the workout.
    package private(set) var punches = 0
    /// The acceleration of the latest punch, G.
    package private(set) var punch: Double?
    /// Poses that were held.
    package private(set) var holds = 0
    private var latest: Phrase?

    /// Whether there is anything to show.
    package var isEmpty: Bool { openSet == nil && pose == nil && sets + punches + holds == 0 }

    mutating func takeRepetition(_ fields: DerivedFields) {
        openSet = OpenSet(count: fields.count ?? 0, number: fields.set ?? 0, validity: fields.validity)
    }

    mutating func takeSet(_ fields: DerivedFields) -> Phrase {
        let count = min(max(0, fields.repetitions ?? 0), 1_000_000)
        openSet = nil
        sets += 1
        repetitions &+= count
        let name = fields.exercise.map { $0.words.printable } ?? "repetition"
        let phrase = Phrase("set of \(count.counted(name)), \((fields.period ?? .nan).text(1)) s each", .good)
        latest = phrase
        return phrase
    }

    mutating func takePunch(_ fields: DerivedFields) -> Phrase {
        punches = fields.count ?? punches
        punch = fields.peakAcceleration
        let phrase = Phrase("punch \(punches.grouped), \((punch ?? .nan).text(1)) G", .plain)
        latest = phrase
        return phrase
    }

    mutating func takePose(_ fields: DerivedFields) {
        pose = fields.pose.map {
            Pose(name: $0.printable, since: fields.since, sway: fields.sway, validity: fields.validity)
        }
    }

    mutating func takeHold(_ fields: DerivedFields) -> Phrase {
        holds += 1
        let sway = fields.sway.map { ", sway \(Self.degrees($0))" } ?? ""
        let phrase = Phrase("held \(fields.pose?.printable ?? "a pose") for \((fields.duration ?? .nan).text(0)) s\(sway)", .good)
        latest = phrase
        return phrase
    }

    mutating func clear(_ kind: String) {
        if kind == "repetition" { openSet = nil }
        if kind == "pose" { pose = nil }
    }

    func headline(at now: Double) -> Phrase? {
        if let openSet, openSet.validity.isCurrent(at: now) {
            return Phrase("\(openSet.count.counted("repetition")), set \(openSet.number)", .good)
        }
        if let pose, pose.validity.isCurrent(at: now) {
            let time = pose.since.map { " for \(max(0, now - $0).text(0)) s" } ?? ""
            return Phrase("holds \(pose.name)\(time)" + (pose.sway.map { ", sway \(Self.degrees($0))" } ?? ""), .good)
        }
        return latest
    }

    /// A bar for each repetition of the set.
    func picture(width: Int) -> [Phrase] {
        let bars = min(width, max(0, openSet?.count ?? 0))
        return [
            Phrase(String(repeating: "▮", count: bars), .good), Phrase(String(repeating: " ", count: width - bars)),
        ]
    }

    var summary: String? {
        let parts = [
            sets > 0 ? "\(sets.counted("set")), \(repetitions.counted("repetition"))" : nil,
            punches > 0 ? punches.counted("punch", "punches") : nil, holds > 0 ? holds.counted("pose") : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func degrees(_ radians: Double) -> String { "\((radians * 180 / .pi).text(1))°" }
}
