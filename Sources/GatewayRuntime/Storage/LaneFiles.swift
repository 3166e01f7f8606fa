import Foundation
import GRDB
import GatewayConfiguration

/// The files of the lanes in a state directory.
///
/// They are opened for each request, read-only: nothing waits for a lane, and no lane waits for a reader (write-ahead log). A lane's file
/// may be moved aside or removed meanwhile.
struct LaneFiles: Sendable {
    /// The state directory.
    let folder: String

    /// The files that exist, opened.
    func open() throws -> [DatabaseQueue] {
        try GatewayConfiguration.Lanes.Name.allCases.map { "\(folder)/\($0.rawValue).sqlite" }
            .filter { FileManager.default.fileExists(atPath: $0) }
            .map { try DatabaseQueue.readOnly($0) }
    }
}
