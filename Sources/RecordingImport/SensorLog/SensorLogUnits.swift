import SignalProcessing

/// The units in the header of a SensorLog file.
enum SensorLogUnits {
    /// How the numbers become Core Motion's, by the units of the columns; without a unit they are Core Motion's already.
    ///
    /// Throws when a unit is unknown or the axes differ.
    static func convention(_ columns: MotionColumns, time: Column, header: Header) throws(ImportProblem) -> MotionConvention {
        _ = try scale([time], ["s": 1], header)
        _ = try scale(columns.attitude, ["r": 1], header)
        return MotionConvention(
            accelerationScale: try scale(columns.userAcceleration, acceleration, header),
            gravityScale: try scale(columns.gravity, acceleration, header),
            rotationScale: try scale(columns.rotationRate, rotation, header))
    }

    /// The factors to Core Motion's units, of files without device motion.
    static func scales(
        acceleration: [Column], rotation: [Column], times: [Column], header: Header
    ) throws(ImportProblem) -> (acceleration: Double, rotation: Double) {
        _ = try scale(times, ["s": 1], header)
        return (try scale(acceleration, self.acceleration, header), try scale(rotation, self.rotation, header))
    }

    private static let acceleration: [String: Double] = [
        "g": 1, "m/s^2": 1 / MotionConvention.standardGravity, "m/s²": 1 / MotionConvention.standardGravity,
    ]
    private static let rotation: [String: Double] = ["rad/s": 1, "deg/s": .pi / 180, "°/s": .pi / 180]

    private static func scale(_ columns: [Column], _ known: [String: Double], _ header: Header) throws(ImportProblem) -> Double {
        var found: Double?
        for column in columns {
            guard let unit = column.unit else {
                found = found ?? 1
                continue
            }
            guard let scale = known[unit.lowercased()] else {
                throw ImportProblem(
                    "the unit \(ImportProblem.quoted(unit)) is none of \(known.keys.sorted().joined(separator: ", "))",
                    file: header.file, line: header.line, column: column.name)
            }
            guard found ?? scale == scale else {
                throw ImportProblem(
                    "its unit is not that of the other axes", file: header.file, line: header.line, column: column.name)
            }
            found = scale
        }
        return found ?? 1
    }
}
