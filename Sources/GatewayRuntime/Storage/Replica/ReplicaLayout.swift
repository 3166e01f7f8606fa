import Foundation
import GatewayConfiguration
import TelemetryModel

/// The lanes whose states the key-value store holds: written once all states of all of them are there, and removed before they are divided
/// otherwise.
struct ReplicaLayout: Codable, Sendable, Equatable {
    private var lanes: [String: [String]]

    /// The lanes, with the streams whose states each has.
    init(_ lanes: [GatewayConfiguration.Lanes.Name: Set<StreamName>]) {
        self.lanes = [:]
        for (lane, streams) in lanes { self.lanes[lane.rawValue] = streams.map(\.rawValue).sorted() }
    }

    /// Reads a value; nil where it is none.
    init?(_ bytes: [UInt8]) {
        guard let layout = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = layout
    }

    /// The value.
    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    /// The lanes and streams that this build knows.
    var streams: [GatewayConfiguration.Lanes.Name: Set<StreamName>] {
        var streams: [GatewayConfiguration.Lanes.Name: Set<StreamName>] = [:]
        for (lane, names) in lanes {
            guard let lane = GatewayConfiguration.Lanes.Name(rawValue: lane) else { continue }
            streams[lane] = Set(names.compactMap { StreamName(rawValue: $0) })
        }
        return streams
    }
}
