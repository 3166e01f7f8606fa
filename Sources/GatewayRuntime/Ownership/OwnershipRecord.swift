import Glibc

/// What a state directory records of claims, in the file `claim`: the highest epoch, the instances that claimed with it, and the lock file
/// that was held then. A copy of the directory has another lock file, and is not taken for the owner.
struct OwnershipRecord: Sendable {
    /// The instances that are remembered: a start may be killed before its claim is published.
    private static let mostInstances = 8

    private let folder: String
    private let lock: String
    private static let name = "claim"

    /// The highest epoch of this directory; 0 for none.
    private(set) var epoch = 0
    /// The instances of earlier runs with this directory, the latest last; none in a copy.
    private(set) var instances: [String] = []

    /// The record in `folder`, whose lock file is open as `lock`, on a machine of this id.
    init(folder: String, lock: Int32, machine: String = Self.machine) {
        self.folder = folder
        var status = stat()
        _ = fstat(lock, &status)
        self.lock = "\(machine) \(status.st_dev) \(status.st_ino)"
        read()
    }

    /// The id of this machine; empty where it has none.
    private static var machine: String {
        (try? TextFile.read("/etc/machine-id"))?.split(separator: "\n").first.map(String.init) ?? ""
    }

    private mutating func read() {
        guard let text = try? StateFiles.text("\(folder)/\(Self.name)") else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, let epoch = Int(lines[0]), Claim.epochs.contains(epoch) else { return }
        self.epoch = epoch
        if lines[1] == lock { instances = lines[2].split(separator: " ").map(String.init) }
    }

    /// Stores the epoch of a claim, before it is published. When this returns, it survives a loss of power.
    mutating func store(epoch: Int, instance: String) throws(GatewayError) {
        instances = Array((instances + [instance]).suffix(Self.mostInstances))
        try raise(to: epoch)
    }

    /// Stores that an owner of the devices before this one has published with `epoch`: the next claim has a higher one.
    mutating func raise(to epoch: Int) throws(GatewayError) {
        self.epoch = max(self.epoch, epoch)
        let text = "\(self.epoch)\n\(lock)\n\(instances.joined(separator: " "))\n"
        try DurableFile.replace(Self.name, in: folder, by: Array(text.utf8))
    }
}
