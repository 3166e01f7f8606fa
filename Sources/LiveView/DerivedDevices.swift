import GatewayPipeline
import TelemetryModel

/// The devices that gateways which work derive: what is known of others is not current.
///
/// Without a gateway that is known they are all devices: a viewer may not be allowed to read their statuses.
package struct DerivedDevices: Sendable, Equatable {
    /// Whether a gateway works, as far as any is known.
    package let isAny: Bool
    private let isAll: Bool
    private let partitions: [PartitionSet]

    /// Those of `gateways` at `now`, unix seconds, by the last status of each; nil for one whose status is not known. One without a
    /// status for `silentSeconds` counts as silent.
    package init(of gateways: [GatewayPulse?] = [], at now: Double = 0, silentSeconds: Double = 60) {
        let working = gateways.compactMap(\.self).filter { $0.works(at: now, silentSeconds: silentSeconds) }
        isAny = gateways.isEmpty || !working.isEmpty
        isAll = gateways.isEmpty || working.contains { $0.partitions == nil }
        partitions = working.compactMap(\.partitions)
    }

    /// Whether a device is one of them.
    package func contains(_ device: String) -> Bool {
        if isAll { return true }
        guard let device = DeviceID(device) else { return false }
        return partitions.contains { $0.owns(device) }
    }
}
