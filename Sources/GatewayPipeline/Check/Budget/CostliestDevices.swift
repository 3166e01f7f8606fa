package import TelemetryModel

/// The devices that cost the most, by their last minutes.
///
/// It holds a few more than are shown; one that falls behind is missed until its next minute ends.
package struct CostliestDevices: Sendable, Equatable {
    /// What a device costs.
    package struct Entry: Sendable, Equatable {
        /// The device.
        package var device: DeviceID
        /// The mean of its last minute in units a second; the sum over its budgets.
        package var units: Double
    }

    private struct Minute: Sendable, Equatable {
        var device: DeviceID
        var budget: BudgetName
        var units: Double
        /// When it ended, on the gateway's monotonic clock.
        var at: Double
    }

    private static let capacity = 32
    /// A minute that ended longer ago does not count.
    private static let validSeconds = 150.0

    private var minutes: [Minute] = []

    /// No device.
    package init() {}

    /// Records a minute of a device that ended at `monotonic`.
    mutating func note(_ usage: Usage, of device: DeviceID, at monotonic: Double) {
        minutes.removeAll {
            ($0.device == device && $0.budget == usage.budget) || monotonic - $0.at > Self.validSeconds
        }
        minutes.append(Minute(device: device, budget: usage.budget, units: usage.units, at: monotonic))
        guard minutes.count > Self.capacity,
            let least = minutes.indices.min(by: { minutes[$0].units < minutes[$1].units })
        else { return }
        minutes.remove(at: least)
    }

    /// The `count` that cost the most at `monotonic`, the first most of all.
    package func first(_ count: Int, at monotonic: Double) -> [Entry] {
        var units: [DeviceID: Double] = [:]
        for minute in minutes where monotonic - minute.at <= Self.validSeconds {
            units[minute.device, default: 0] += minute.units
        }
        let entries = units.map { Entry(device: $0.key, units: $0.value) }
        return Array(entries.sorted { ($1.units, $0.device) < ($0.units, $1.device) }.prefix(count))
    }

    /// The devices of two lanes.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.minutes += right.minutes
        return sum
    }
}
