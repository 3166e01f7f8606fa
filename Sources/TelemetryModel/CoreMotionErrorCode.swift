/// Core Motion's error codes (`CMErrorDomain`, 100-113) that a refusal can carry.
public enum CoreMotionErrorCode: Int, Sendable, Codable, CaseIterable {
    /// Motion activity was refused by the user.
    case motionActivityNotAuthorized = 105
    /// The action is not allowed now: no workout session.
    case invalidAction = 108
    /// The service is not available on this device.
    case notAvailable = 109
    /// The entitlement is missing.
    case notEntitled = 110
    /// Motion was refused by the user.
    case notAuthorized = 111
}
