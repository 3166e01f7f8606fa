/// The settings of sessions.
package struct SessionSettings: DerivationSettings {
    /// Whether the first event begins a session where no workout runs.
    package var implicit = false
    /// How long nothing is derived, in s, before a session without a workout has ended.
    package var silenceSeconds = 600.0
    /// How often a session that goes on is published, in s.
    package var refreshSeconds = 10.0
    /// How long after its end a session is published as ended, in s: what is derived late is still in it.
    package var settleSeconds = 15.0

    /// The defaults.
    package init() {}

    /// `derive.session`.
    package static let table: [DerivationSetting<Self>] = [
        .flag("implicit", \.implicit, "Whether a session begins with the first event where no workout runs"),
        .number(
            "silenceSeconds", \.silenceSeconds, in: 10...86_400, unit: "seconds",
            "How long nothing is derived before a session without a workout has ended"),
    ]
}
