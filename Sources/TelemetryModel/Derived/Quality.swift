/// How far a derived value can be trusted.
public enum Quality: String, Sendable, Codable {
    /// Confirmed by data.
    case valid
    /// The data stopped, or a restart is unconfirmed.
    case stale
    /// The sensor contradicts itself.
    case fault
}
