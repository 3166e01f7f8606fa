import Glibc
package import TelemetryModel

/// Requests to erase everything that is stored of devices: `{stateDirectory}/erasures/{device}`, an empty file for each.
///
/// A request stays until it is carried out. A gateway that ends before that carries it out after its next start.
package struct ErasureRequests: Sendable {
    private let stateDirectory: String
    private static let name = "erasures"
    private var path: String { "\(stateDirectory)/\(Self.name)" }

    /// The requests in a state directory.
    package init(stateDirectory: String) { self.stateDirectory = stateDirectory }

    /// Adds a request, synchronized to disk.
    package func add(_ device: DeviceID) throws(GatewayError) {
        try StateFiles.makeFolder(Self.name, in: stateDirectory)
        close(try StateFiles.open(file(of: device), O_WRONLY | O_CREAT))
        guard DurableFile.syncFolder(path) else { throw GatewayError.system(path) }
    }

    /// Why a request stays though the gateway has carried it out: the broker refuses `topics`, on which retained messages are to be cleared.
    /// Nil where it refuses none.
    package static func problem(_ topics: [String]) -> String? {
        guard let first = topics.first else { return nil }
        let others = topics.count == 1 ? "" : " and \(topics.count - 1) more"
        return "the broker refuses \(first)\(others), so that retained messages stay there until it accepts them"
    }

    /// Whether a request is not carried out yet.
    package func contains(_ device: DeviceID) -> Bool { TextFile.stamp(file(of: device)) != nil }

    /// The devices that are to be erased, in order.
    package func devices() throws(GatewayError) -> [DeviceID] { try Folder.names(in: path).compactMap { DeviceID($0) }.sorted() }

    /// Removes a request that was carried out.
    func remove(_ device: DeviceID) throws(GatewayError) {
        guard unlink(file(of: device)) == 0, DurableFile.syncFolder(path) else { throw GatewayError.system(file(of: device)) }
    }

    private func file(of device: DeviceID) -> String { "\(path)/\(device)" }
}
