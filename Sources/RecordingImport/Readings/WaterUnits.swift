/// The units of dive logs.
enum WaterUnits {
    /// Metres in a unit of depth.
    static let meters = ["m": 1, "ft": 0.3048, "cm": 0.01, "fathom": 1.8288]
    /// Pascals in a unit of pressure.
    static let pascals = [
        "Pa": 1, "hPa": 100, "mbar": 100, "kPa": 1000, "bar": 1e5, "psi": 6894.757293168, "inHg": 3386.389, "mmHg": 133.322387415,
        "dbar": 1e4,
    ]
    /// What sea water presses at a metre.
    static let pascalsPerMeter = 1025 * 9.80665

    /// The units that the wire contract has.
    private static let wire: Set<String> = ["m", "ft", "Pa", "hPa", "mbar", "kPa", "bar", "psi", "C", "F", "K"]

    /// A value in a unit that the wire contract has: its own where possible, otherwise metres or pascals.
    static func measured(_ value: Double, unit: String) -> WaterReading.Measured {
        if wire.contains(unit) { return WaterReading.Measured(value: value, unit: unit) }
        if let scale = meters[unit] { return WaterReading.Measured(value: rounded(value * scale), unit: "m") }
        return WaterReading.Measured(value: rounded(value * (pascals[unit] ?? .nan)), unit: "Pa")
    }

    /// Without the last digits, which the product of two decimals makes up.
    private static func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
}

/// The pressure of the air at the surface, for logs that have the absolute pressure alone.
package enum SurfacePressure: Sendable, Equatable {
    /// The lowest pressure of the log.
    case lowest
    /// A pressure in pascals.
    case pascals(Double)

    /// What can be the pressure of air, in pascals: from 5,500 m over the sea to the highest that was measured there.
    static let air = 50_000.0...108_500

    /// Reads `lowest`, `1013hPa` or `1.013 bar`; throws for anything else.
    package init(_ text: String) throws(ImportProblem) {
        if text.lowercased() == "lowest" {
            self = .lowest
            return
        }
        let number = text.prefix { !$0.isLetter && $0 != " " }
        let unit = text.dropFirst(number.count).drop { $0 == " " }
        guard let value = Row.decimal(String(number), allowsComma: true),
            let scale = DiveField.surfacePressure.unit(unit).flatMap({ WaterUnits.pascals[$0] })
        else {
            throw ImportProblem("\(ImportProblem.quoted(text)) is not lowest, or a pressure with its unit such as 1013hPa")
        }
        guard Self.air.contains(value * scale) else {
            throw ImportProblem("\(ImportProblem.quoted(text)) is no pressure of air, expected 500 to 1085 hPa")
        }
        self = .pascals((value * scale * 1e3).rounded() / 1e3)
    }
}
