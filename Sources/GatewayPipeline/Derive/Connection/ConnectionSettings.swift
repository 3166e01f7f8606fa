/// What can be set about a connection.
package struct ConnectionSettings: Sendable, Equatable {
    /// How long nothing may come while connected before the state is silent, in s.
    package var silenceSeconds: Double
    /// How late data may be on its way to the gateway without counting as silence, in s; 0.
    package var lagAllowanceSeconds: Double

    /// A silence limit, and no allowance unless given.
    package init(silenceSeconds: Double, lagAllowanceSeconds: Double = 0) {
        self.silenceSeconds = silenceSeconds
        self.lagAllowanceSeconds = lagAllowanceSeconds
    }

    /// The defaults for headphones: 2 s.
    package static let headphone = Self(silenceSeconds: 2)
    /// The defaults for devices: 30 s.
    package static let device = Self(silenceSeconds: 30)

    /// Seconds from the last data to the instant the state is silent.
    var limit: Double { silenceSeconds + lagAllowanceSeconds }
}
