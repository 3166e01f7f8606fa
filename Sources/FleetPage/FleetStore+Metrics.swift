import GatewayPipeline
import LiveView
import Metrics
import TelemetryModel

extension FleetStore {
    /// What is known of each device at `now`, unix seconds, in Prometheus' format; `isConnected` is false without a connection to the broker. A
    /// value that is no longer current is left out: a graph must not show it as one that is. None is current while no gateway works.
    package func metrics(at now: Double, isConnected: Bool) -> [UInt8] {
        let isLive = isConnected && hasWorkingGateway(at: now)
        let devices = sorted.map(\.value)
        func samples(_ value: (FleetDevice) -> Double?) -> [MetricsText.Sample] {
            devices.compactMap { device in value(device).map { .init($0, ("device", device.live.id)) } }
        }
        var text = MetricsText()
        text.gauge(
            "fathom_page_connected", "1 while the page is connected to the broker and a gateway works", [.init(isLive ? 1 : 0)])
        text.gauge(
            "fathom_device_info", "1; what the device is for, by its messages",
            devices.map { .init(1, ("device", $0.live.id), ("role", $0.live.role.name)) })
        text.gauge(
            "fathom_device_danger", "1; how much the device needs a look",
            devices.map { .init(1, ("device", $0.live.id), ("danger", "\($0.live.danger(at: now, isLive: isLive))")) })
        text.gauge(
            "fathom_device_connected", "1 while the device is connected",
            samples { $0.live.connection.map { isLive && $0 == "connected" ? 1 : 0 } })
        text.gauge(
            "fathom_device_heard_timestamp_seconds", "when the last message about data of the device was received, unix time",
            samples { $0.heardAt })
        text.gauge(
            "fathom_device_depth_meters", "the depth, while it is current",
            samples { $0.live.water.depth(at: now, isLive: isLive) })
        text.gauge(
            "fathom_device_maximum_depth_meters", "the depth that the device may measure",
            samples { $0.live.water.maximumDepth })
        text.gauge(
            "fathom_device_value", "a number that the page draws, of the latest message of its kind, while it is current",
            devices.flatMap { device in
                isLive
                    ? device.live.drawnNumbers(at: now).map { path, field, number in
                        .init(number, ("device", device.live.id), ("kind", path), ("field", field))
                    } : []
            })
        text.counter(
            "fathom_device_gaps_total", "gaps that were published since the page knows the device", samples { Double($0.gaps) })
        text.counter("fathom_device_rejected_total", "rejected frames, the same", samples { Double($0.rejected) })
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
