/// One set of a simulated exercise.
package protocol SimulatedSet: Sendable, Hashable {
    /// When its first repetition begins, in seconds from the device's start.
    var start: Double { get set }
    /// How many repetitions it has.
    var repetitions: Int { get }
    /// The mean time from one repetition to the next in s.
    var period: Double { get }
}

/// The sets that a simulated person does, and how often.
package struct ExercisePlan<Exercise: SimulatedSet>: Sendable, Hashable {
    /// The sets, in order of time and apart.
    package var sets: [Exercise]
    /// Seconds after which they are repeated; nil for once.
    package var cycle: Double?

    /// A plan.
    package init(sets: [Exercise], cycle: Double? = nil) { (self.sets, self.cycle) = (sets, cycle) }

    /// Where a person is in the plan at some instant.
    enum Moment {
        /// Before the first set, or in a pause between two.
        case rest
        /// Before a set that was announced so many seconds ago.
        case before(Exercise, Double)
        /// In a repetition that is `length` s long, since `since` s; `number` is its own in the whole plan.
        case repetition(Exercise, number: Int, since: Double, length: Double)
        /// After the last repetition of a set, since so many seconds.
        case after(Exercise, Double)
    }

    /// The moment `elapsed` s after the start. A set is announced `lead` s before it begins; `length` is that of a repetition, in periods, by
    /// its number.
    func moment(after elapsed: Double, lead: Double = 0, length: (Int) -> Double) -> Moment {
        let round = cycle.map { (elapsed / $0).rounded(.down) } ?? 0
        let within = cycle.map { elapsed - round * $0 } ?? elapsed
        guard let index = sets.lastIndex(where: { $0.start - lead <= within }) else { return .rest }
        let set = sets[index]
        if within < set.start { return .before(set, within - set.start + lead) }
        var begin = set.start
        for repetition in 0..<set.repetitions {
            let number = (Int(round) * 64 + index) * 256 + repetition
            let length = set.period * length(number)
            if within < begin + length { return .repetition(set, number: number, since: within - begin, length: length) }
            begin += length
        }
        return .after(set, within - begin)
    }

    /// The sets that end within `seconds` of the start, where a repetition lasts at most `longest` periods and `rest` s follow a set.
    func sets(through seconds: Double, longest: Double, rest: Double = 0) -> [Exercise] {
        let cycles = cycle.map { Int(seconds / $0) } ?? 0
        return (0...cycles).flatMap { round in
            sets.map { set in
                var set = set
                set.start += Double(round) * (cycle ?? 0)
                return set
            }
        }.filter { $0.start + Double($0.repetitions) * $0.period * longest + rest < seconds }
    }
}
