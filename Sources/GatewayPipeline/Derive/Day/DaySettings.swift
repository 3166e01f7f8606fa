/// The thresholds of activity. The defaults are for adults, a wrist and epochs of 5 s (Hildebrand 2014).
package struct DaySettings: DerivationSettings {
    /// ENMO from which activity is light, in mG.
    package var lightMilliG = 45.0
    /// ENMO from which it is moderate, in mG.
    package var moderateMilliG = 100.0
    /// ENMO from which it is vigorous, in mG.
    package var vigorousMilliG = 430.0

    /// The defaults.
    package init() {}

    /// `derive.day`.
    package static let table: [DerivationSetting<Self>] = [
        .number("lightMilliG", \.lightMilliG, in: 1...2_000, unit: "mG", "ENMO from which activity is light"),
        .number("moderateMilliG", \.moderateMilliG, in: 1...2_000, unit: "mG", "ENMO from which activity is moderate"),
        .number("vigorousMilliG", \.vigorousMilliG, in: 1...2_000, unit: "mG", "ENMO from which activity is vigorous"),
    ]

    /// The thresholds rise.
    package static let rules: [DerivationRule<Self>] = [
        DerivationRule("lightMilliG", "moderateMilliG", "vigorousMilliG", agreement: "must rise in this order") {
            $0.lightMilliG >= $0.moderateMilliG || $0.moderateMilliG >= $0.vigorousMilliG
        }
    ]
}
