/// The quality of a derived value.
package enum Quality: String, Sendable, Codable, CaseIterable {
    /// Confirmed by data.
    case valid
    /// The data stopped, or a restart is unconfirmed.
    case stale
    /// The sensor data are contradictory.
    case fault
}
