import GatewayPipeline
import LiveView
import Metrics
import TelemetryModel

extension FleetStore {
    /// What is known of each device at `now`, unix seconds, in Prometheus' format; `isConnected` is false without a connection to the broker. A
    /// value that is no longer current is left out: a graph must not show it as one that is. None is current that no working gateway derives.
    package func metrics(at now: Double, isConnected: Bool) -> [UInt8] {
        let derived = derivedDevices(at: now)
        let devices = sorted.map { (device: $0.value, isLive: isConnected && derived.contains($0.key)) }
        func samples(_ value: (FleetDevice, _ isLive: Bool) -> Double?) -> [MetricsText.Sample] {
            devices.compactMap { device, isLive in value(device, isLive).map { .init($0, ("device", device.live.id)) } }
        }
        var text = MetricsText()
        text.gauge(
            "fathom_page_connected", "1 while the page is connected to the broker and a gateway works",
            [.init(isConnected && derived.isAny ? 1 : 0)])
        text.gauge(
            "fathom_device_info", "1; what the device is for, by its messages",
            devices.map { device, _ in .init(1, ("device", device.live.id), ("role", device.live.role.name)) })
        text.gauge(
            "fathom_device_danger", "1; how much the device needs a look",
            devices.map { device, isLive in
                .init(1, ("device", device.live.id), ("danger", "\(device.live.danger(at: now, isLive: isLive))"))
            })
        text.gauge(
            "fathom_device_connected", "1 while the device is connected",
            samples { device, isLive in device.live.connection.map { isLive && $0 == "connected" ? 1 : 0 } })
        text.gauge(
            "fathom_device_heard_timestamp_seconds", "when the last message about data of the device was received, unix time",
            samples { device, _ in device.heardAt })
        text.gauge(
            "fathom_device_depth_meters", "the depth, while it is current",
            samples { $0.live.water.depth(at: now, isLive: $1) })
        text.gauge(
            "fathom_device_maximum_depth_meters", "the depth that the device may measure",
            samples { device, _ in device.live.water.maximumDepth })
        text.gauge(
            "fathom_device_value", "a number that the page draws, of the latest message of its kind, while it is current",
            devices.flatMap { device, isLive in
                isLive
                    ? device.live.drawnNumbers(at: now).map { path, field, number in
                        .init(number, ("device", device.live.id), ("kind", path), ("field", field))
                    } : []
            })
        text.counter(
            "fathom_device_gaps_total", "gaps that were published since the page knows the device",
            samples { device, _ in Double(device.gaps) })
        text.counter(
            "fathom_device_rejected_total", "rejected frames, the same", samples { device, _ in Double(device.rejected) })
        return Array(text.text.utf8)
    }
}

extension WaterState {
    /// The depth that is known at `now`; nil where it is not current, or withheld.
    fileprivate func depth(at now: Double, isLive: Bool) -> Double? {
        isLive && validity.isValid && validity.isCurrent(at: now) ? depth : nil
    }
}

extension LiveDevice {
    /// The numbers of the latest messages that the page draws over time, while they are current; in order.
    fileprivate func drawnNumbers(at now: Double) -> [(path: String, field: String, number: Double)] {
        latest.sorted { $0.key < $1.key }.filter { validity(of: $0.value).isCurrent(at: now) }.flatMap { path, latest in
            latest.view.details.flatMap { detail -> [String] in if case .plot(let names) = detail { names } else { [] } }
                .compactMap { name in latest.fields.number(name).map { (path.printable, name, $0) } }
        }
    }
}
