package import TelemetryModel

/// A change of the kinds that messages of a device have, for those who announce them.
package enum KindReport: Sendable, Equatable {
    /// The first message of this path after `out/` since the device's state is in memory, or since its model changed; `model` is
    /// the one in its status, nil where it has none.
    case derived(kind: String, device: DeviceID, model: String?)
    /// The device's state was dropped: it was revoked, it cleared its status, or it made room for another.
    case forgotten(DeviceID)
}
