/// One thing that a record or a workout of Apple Health says.
struct HealthSample: Spooled {
    /// What it is.
    enum Kind: UInt8 {
        /// Metres.
        case depth
        case celsius, fahrenheit
        /// Counting begins: what was counted before is known at this instant too.
        case countBegins
        case steps
        /// Metres.
        case distance
        /// The value is the place of the activity among those of the file.
        case workoutBegins, workoutPauses, workoutGoesOn, workoutEnds
    }

    var series: UInt32
    var order: UInt32 = 0
    /// Unix microseconds.
    var micros: Int64
    var value: Double
    var kind: Kind
}
