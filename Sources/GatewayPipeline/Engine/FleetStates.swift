package import TelemetryModel

/// How many devices are in which of the states that were published last.
package struct FleetStates: Sendable, Equatable {
    /// How many devices have each connection.
    package fileprivate(set) var connections: [ConnectionState: Int] = [:]
    /// How many devices have each depth state.
    package fileprivate(set) var depths: [DepthState: Int] = [:]
    /// How many alarms are raised, acknowledged ones included, by their rules.
    package fileprivate(set) var alarms: [AlarmLabel: Int] = [:]

    /// The rule of an alarm.
    package struct AlarmLabel: Sendable, Hashable {
        /// The rule's name.
        package let name: String
        /// How urgent it is.
        package let severity: AlarmSeverity

        /// A rule's label.
        package init(name: String, severity: AlarmSeverity) {
            self.name = name
            self.severity = severity
        }
    }

    /// No device.
    package init() {}

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.connections.merge(right.connections, uniquingKeysWith: +)
        sum.depths.merge(right.depths, uniquingKeysWith: +)
        sum.alarms.merge(right.alarms, uniquingKeysWith: +)
        return sum
    }
}

/// Counts devices by the states that are published of them, those on disk included.
struct FleetTracker {
    private struct Published: Equatable {
        var connection: ConnectionState?
        var depth: DepthState?
        /// The alarms that are raised, by their paths.
        var alarms: [String: FleetStates.AlarmLabel] = [:]
    }

    /// The counts.
    private(set) var states = FleetStates()
    private var devices: [DeviceID: Published] = [:]

    /// Records what is published of `device`.
    mutating func note(_ body: any DerivedBody, of device: DeviceID) {
        if let change = body as? DepthStateChange {
            update(device) { $0.depth = change.state }
        } else if let change = body as? ConnectionChange, change.subject == .device {
            update(device) { $0.connection = change.state }
        } else if let alarm = body as? Alarm {
            let label = FleetStates.AlarmLabel(name: alarm.name, severity: alarm.severity)
            update(device) { $0.alarms[alarm.path] = alarm.state == .cleared ? nil : label }
        }
    }

    /// Records what was published of `device` before the gateway started.
    mutating func restore(_ retained: RetainedMessages, of device: DeviceID, with splitter: JSONSplitter) {
        func state(of kind: String) -> String? {
            guard let payload = retained[kind: kind]?.payload else { return nil }
            return (try? splitter.split(payload[...], "state"))?.first??.text
        }
        func alarm(_ kind: String) -> FleetStates.AlarmLabel? {
            guard state(of: kind) != Alarm.State.cleared.rawValue, let payload = retained[kind: kind]?.payload,
                let members = try? splitter.split(payload[...], "alarm", "severity"), let name = members[0]?.text,
                let severity = members[1]?.text.flatMap(AlarmSeverity.init(rawValue:))
            else { return nil }
            return FleetStates.AlarmLabel(name: name, severity: severity)
        }
        let alarms = retained.kinds.filter(Alarm.covers).compactMap { kind in alarm(kind).map { (kind, $0) } }
        let depth = state(of: DepthStateChange.kind.name)
        update(device) { published in
            published.connection = state(of: "connection/device").flatMap(ConnectionState.init(rawValue:))
            published.depth = DepthState.allCases.first { $0.name == depth }
            published.alarms = Dictionary(uniqueKeysWithValues: alarms)
        }
    }

    /// Records that the retained message of `kind` is cleared.
    mutating func clear(_ kind: String, of device: DeviceID) {
        guard devices[device] != nil else { return }
        if kind == DepthStateChange.kind.name { update(device) { $0.depth = nil } }
        if kind == "connection/device" { update(device) { $0.connection = nil } }
        if Alarm.covers(kind) { update(device) { $0.alarms[kind] = nil } }
    }

    private mutating func update(_ device: DeviceID, _ change: (inout Published) -> Void) {
        let before = devices[device] ?? Published()
        var after = before
        change(&after)
        guard after != before else { return }
        if let connection = before.connection { states.connections[connection, default: 0] -= 1 }
        if let connection = after.connection { states.connections[connection, default: 0] += 1 }
        if let depth = before.depth { states.depths[depth, default: 0] -= 1 }
        if let depth = after.depth { states.depths[depth, default: 0] += 1 }
        for label in before.alarms.values { states.alarms[label, default: 0] -= 1 }
        for label in after.alarms.values { states.alarms[label, default: 0] += 1 }
        devices[device] = after == Published() ? nil : after
    }
}
