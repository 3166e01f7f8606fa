import Foundation
import GatewayConfiguration
import TelemetryModel

/// What the key-value store holds of a lane, under its name: written once all of its states are there.
struct ReplicaLane: Codable, Sendable, Equatable {
    /// The epoch of the gateway that wrote it.
    var epoch: Int
    /// The streams whose states the lane has.
    var streams: [String]

    init(epoch: Int, streams: Set<StreamName>) { (self.epoch, self.streams) = (epoch, streams.map(\.rawValue).sorted()) }

    /// Reads a value; nil where it is none.
    init?(_ bytes: [UInt8]) {
        guard let lane = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = lane
    }

    /// The value.
    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    /// The streams that this build knows.
    var streamNames: Set<StreamName> { Set(streams.compactMap { StreamName(rawValue: $0) }) }
}
