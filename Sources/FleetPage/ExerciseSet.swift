import JSONText
import LiveView

/// One set of repetitions that has ended.
struct ExerciseSet: Sendable {
    /// Its number in the workout.
    let number: Int
    let repetitions: Int
    /// Unix seconds.
    let start, end: Double
    /// From one repetition to the next, in s.
    let period: Double?
    /// The spread of that as a part of it.
    let spread: Double?
    /// rad.
    let rangeOfMotion: Double?
    /// Nil where it is not recognized.
    let exercise: String?

    /// The set of a `set`; nil where a field that every one has is missing.
    init?(_ fields: DerivedFields) {
        guard let number = fields.set, let repetitions = fields.repetitions, let start = fields.start, let end = fields.end
        else { return nil }
        self.number = number
        self.repetitions = repetitions
        self.start = start
        self.end = end
        period = fields.period
        spread = fields.periodSpread
        rangeOfMotion = fields.rangeOfMotion
        exercise = fields.exercise.map { String($0.words.printable.prefix(32)) }
    }

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.field("number", number)
            json.field("repetitions", repetitions)
            json.seconds("start", start)
            json.seconds("end", end)
            json.field("period", period)
            json.field("spread", spread)
            json.field("rangeOfMotion", rangeOfMotion)
            json.field("exercise", exercise)
        }
    }
}
