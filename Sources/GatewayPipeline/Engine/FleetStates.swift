package import TelemetryModel

/// How many devices are in which of the states that were published last.
package struct FleetStates: Sendable, Equatable {
    /// How many devices have each connection.
    package fileprivate(set) var connections: [ConnectionState: Int] = [:]
    /// How many devices have each depth state.
    package fileprivate(set) var depths: [DepthState: Int] = [:]

    /// No device.
    package init() {}

    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.connections.merge(right.connections, uniquingKeysWith: +)
        sum.depths.merge(right.depths, uniquingKeysWith: +)
        return sum
    }
}

/// Counts devices by the states that are published of them, those on disk included.
struct FleetTracker {
    private struct Published: Equatable {
        var connection: ConnectionState?
        var depth: DepthState?
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
        }
    }

    /// Records what was published of `device` before the gateway started.
    mutating func restore(_ retained: RetainedMessages, of device: DeviceID, with splitter: JSONSplitter) {
        func state(of kind: String) -> String? {
            guard let payload = retained[kind: kind]?.payload else { return nil }
            return (try? splitter.split(payload[...], "state"))?.first??.text
        }
        let depth = state(of: DepthStateChange.kind.name)
        update(device) { published in
            published.connection = state(of: "connection/device").flatMap(ConnectionState.init(rawValue:))
            published.depth = DepthState.allCases.first { $0.name == depth }
        }
    }

    /// Records that the retained message of `kind` is cleared.
    mutating func clear(_ kind: String, of device: DeviceID) {
        guard devices[device] != nil else { return }
        if kind == DepthStateChange.kind.name { update(device) { $0.depth = nil } }
        if kind == "connection/device" { update(device) { $0.connection = nil } }
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
        devices[device] = after.connection == nil && after.depth == nil ? nil : after
    }
}
