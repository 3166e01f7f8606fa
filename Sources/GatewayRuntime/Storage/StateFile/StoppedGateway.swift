package import GatewayConfiguration
package import GatewayPipeline
import GRDB
import Glibc
import Logging
import Mosquitto
package import TelemetryModel

/// The state directory of a gateway that does not run, held while its states are exported or imported.
package struct StoppedGateway {
    private let configuration: GatewayConfiguration
    private let settings: PipelineSettings
    private let policy: AccessPolicy
    private let directory: StateDirectory
    private let clock: any GatewayClock

    /// Opens the state directory of `configuration`. Throws where none is set, or a gateway holds it, and, unless `makesFolder`, where it
    /// does not exist.
    package init(
        configuration: GatewayConfiguration, registry: Registry, producers: Producers, makesFolder: Bool,
        clock: any GatewayClock = SystemGatewayClock()
    ) throws(GatewayError) {
        guard let path = configuration.gateway.stateDirectory else {
            throw GatewayError("gateway.stateDirectory is not set, so there are no states on disk")
        }
        guard makesFolder || access(path, F_OK) == 0 else { throw .system("gateway.stateDirectory: \(path)") }
        self.init(
            configuration: configuration, settings: try PipelineSettings(configuration, producers: producers),
            policy: AccessPolicy(registry, of: configuration.gateway.partition),
            directory: try StateDirectory(
                path: path, history: HistoryStorage(configuration.history),
                logger: Logger(label: "state") { _ in SwiftLogNoOpLogHandler() }),
            clock: clock)
    }

    /// The states of a gateway that has not begun to read yet and holds `directory`.
    init(
        configuration: GatewayConfiguration, settings: PipelineSettings, policy: AccessPolicy, directory: StateDirectory,
        clock: any GatewayClock
    ) {
        self.configuration = configuration
        self.settings = settings
        self.policy = policy
        self.directory = directory
        self.clock = clock
    }

    /// The parts of states that could not be read and are left out, and how many there are.
    package var dropped: (first: [DroppedPart], count: Int) { (directory.droppedParts.first, directory.droppedParts.count) }

    /// Writes everything that is stored of devices to a new file at `path`: of `devices`, or of all of the gateway's partitions, and only of
    /// those in `partitions`. The directory stays as it is. Throws where a named device has no state, or the file exists.
    package func export(
        to path: String, devices: Set<DeviceID>? = nil, partitions: PartitionSet? = nil
    ) throws -> StateCounts {
        try requireNoImport()
        guard access(path, F_OK) != 0 else { throw GatewayError("\(path) exists: name another file, or remove it") }
        let unfinished = try UnfinishedFile(for: path, companions: ["-journal"])
        close(unfinished.descriptor)
        do {
            let counts = try write(to: unfinished.path, devices: devices, partitions: partitions)
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            guard unfinished.publish(), DurableFile.syncFolder(folder) else { throw GatewayError.system(path) }
            return counts
        } catch {
            unfinished.remove()
            throw error
        }
    }

    private func write(to path: String, devices: Set<DeviceID>?, partitions: PartitionSet?) throws -> StateCounts {
        let header = StateFile.Header(
            id: String(UInt64.random(in: .min ... .max), radix: 36), gateway: configuration.gateway.name,
            epoch: directory.ownership.epoch, machine: directory.machine, saved: clock.now)
        let file = try StateFile(writing: path, header)
        let isChosen: (DeviceID) -> Bool = { device in
            (devices?.contains(device) ?? policy.owns(device)) && partitions?.owns(device) ?? true
        }
        for lane in GatewayConfiguration.Lanes.Name.allCases where directory.hasStore(of: lane) {
            let store = try settledStore(of: lane)
            let states = try store.load().filter { isChosen($0.device) }
            try file.add(states, and: try store.devices().filter(isChosen), of: store, lane)
        }
        if directory.hasOutboundLetters {
            let letters = try outboundLetters()
            if letters.removed > 0 {
                directory.report(
                    DroppedPart(device: nil, part: "outbound dead letters", reason: "\(letters.removed) are damaged and removed"))
            }
            try file.add(letters, root: settings.topics.rootPath, where: isChosen)
        }
        if let missing = try devices?.subtracting(file.devices()).min() {
            throw GatewayError("\(missing) has no state in \(directory.path)")
        }
        return try file.counts()
    }

    /// Adds everything that is in the file at `path`. Throws, and has changed no state, where it has another format or holds what this build
    /// does not read, where a device is in a partition that is not owned, and, without `replace`, where a device has state already.
    ///
    /// Each lane's file is written in one transaction. A gateway does not start on a directory with an import that was interrupted; the same
    /// import again ends it.
    package func `import`(_ path: String, replace: Bool = false) throws -> StateCounts {
        let file = try StateFile(reading: path)
        let (header, devices, lanes) = (try file.header(), try file.devices(), try file.lanes())
        try file.requireReadable()
        let letters = try file.letters()
        directory.clock.adopt(header.saved, machine: header.machine)
        if let interrupted = directory.interruptedImport, interrupted != header.id { try requireNoImport() }
        if let other = devices.filter({ !policy.owns($0) }).min(), let partitions = policy.partitions {
            throw GatewayError(
                "\(path): \(other) is in partition \(partitions.number(of: other)), this gateway owns \(partitions); export the "
                    + "devices of its partitions alone, with --only-partitions")
        }
        let targets = GatewayConfiguration.Lanes.Name.allCases.filter { lanes.contains($0) || directory.hasStore(of: $0) }
        let shift = header.machine == directory.machine ? 0 : header.saved.shift(to: clock.now)
        let added = targets.filter { !directory.hasStore(of: $0) }
        let (stores, changes): ([(lane: GatewayConfiguration.Lanes.Name, store: CheckpointStore)], [[StateChange]])
        let outbound: OutboundLetters?
        do {
            stores = try targets.map { (lane: $0, store: try settledStore(of: $0)) }
            outbound = letters.isEmpty && !directory.hasOutboundLetters ? nil : try outboundLetters()
            if !replace, directory.interruptedImport == nil {
                let kept = try outbound?.devices(root: settings.topics.rootPath) ?? []
                let present = try stores.reduce(into: kept) { $0.formUnion(try $1.store.devices()) }
                if let device = devices.intersection(present).min() {
                    throw GatewayError("\(device) has state in \(directory.path) already; --replace replaces it")
                }
            }
            changes = try stores.map { try states(of: devices, in: file, $0.lane, $0.store, shift: shift) }
        } catch {
            // Without states it has to stay a directory on which a start is refused.
            added.forEach(directory.removeStore)
            throw error
        }
        var record = directory.ownership
        try record.raise(to: header.epoch)
        try directory.noteImport(header.id)
        for (target, changes) in zip(stores, changes) {
            try target.store.replace(devices, by: changes) { device, database in
                try file.copyOthers(of: device, in: target.lane, to: database)
            }
        }
        try outbound?.replace(devices, by: letters, encoder: OutboundEncoder(settings))
        directory.clearHandover()
        // What the directory holds now is not what the key-value store has.
        directory.clearReplica()
        try directory.clock.store(at: clock.now)
        try directory.noteImport(nil)
        return try file.counts()
    }

    /// Replaces the states of all lanes by `states`, which were last written under `epoch`. Histories stay but for what was `erased`
    /// since a checkpoint; a file of which that is not known, and one that is damaged, is made anew.
    func replaceAll(
        by states: [GatewayConfiguration.Lanes.Name: [RestoredState]], epoch: Int,
        erased: (_ lane: GatewayConfiguration.Lanes.Name, _ checkpoint: UInt64) -> ErasureMarks.Erased?
    ) throws {
        var record = directory.ownership
        try record.raise(to: epoch)
        for lane in GatewayConfiguration.Lanes.Name.allCases {
            let erased = erased(lane, try directory.store(of: lane).lastCheckpoint())
            if erased == nil { directory.removeStore(of: lane) }
            try directory.store(of: lane).replaceStates(by: states[lane] ?? [], erased: erased ?? .init())
        }
        directory.clearHandover()
    }

    /// The states of one lane, on the monotonic clock of this run of the machine.
    private func states(
        of devices: Set<DeviceID>, in file: StateFile, _ lane: GatewayConfiguration.Lanes.Name, _ store: CheckpointStore,
        shift: Double
    ) throws -> [StateChange] {
        let number = try store.lastCheckpoint()
        return try devices.sorted().compactMap { device in
            guard var stored = try file.state(of: device, in: lane) else { return nil }
            stored.number = number
            var restored = try RestoredState(whole: stored) { part in
                GatewayError("\(file.path): \(part); use the build that wrote the file, or a later one")
            }
            if shift != 0 { restored.state.shiftMonotonic(by: shift) }
            return try restored.wholeChange()
        }
    }

    private func requireNoImport() throws(GatewayError) {
        if let problem = directory.importProblem { throw GatewayError(problem) }
    }

    /// What the broker refuses. Not moved aside where it is damaged: nobody would know.
    private func outboundLetters() throws -> OutboundLetters {
        let file = OutboundLetters.file(in: directory.path)
        do { return try OutboundLetters(path: file) } catch let error as DamagedStore {
            throw GatewayError(
                "\(file) is damaged (\(error)): put back a copy of it, or move it aside to go on without the messages that the broker has "
                    + "refused")
        }
    }

    // MARK: Lanes

    /// The states of a lane, with the journal replayed. What has to be published of that stays in the file until a gateway runs on it.
    private func settledStore(of lane: GatewayConfiguration.Lanes.Name) throws -> CheckpointStore {
        let store: CheckpointStore
        do { store = try directory.undamagedStore(of: lane) } catch let error as DamagedStore {
            throw GatewayError(
                "\(directory.storeFile(of: lane)) is damaged (\(error)): put back a copy of it, or move it aside to go on without the states "
                    + "of the lane")
        }
        let share = StreamShare(streams: lane.streams, takesUnknown: false)
        try store.replayJournal(by: JournalReplay(settings: settings, policy: policy, share: share))
        return store
    }
}

extension RestoredState {
    /// The state that is stored. Throws what `problem` makes of the first part that this build does not read.
    init(whole stored: StoredState, problem: (DroppedPart) -> GatewayError) throws(GatewayError) {
        var dropped: DroppedPart?
        self.init(stored) { dropped = dropped ?? $0 }
        if let dropped { throw problem(dropped) }
    }
}

extension CheckpointStore {
    /// The devices of which anything is stored.
    func devices() throws -> Set<DeviceID> {
        let tables = ["state", "part", "waiting"] + StateFile.otherTables.map(\.name)
        return try database.read { database in
            let sql = tables.map { "SELECT device FROM \($0)" }.joined(separator: " UNION ")
            return Set(try String.fetchAll(database, sql: sql).compactMap { DeviceID($0) })
        }
    }

    /// Replaces everything that is stored of `devices` in one transaction: their states by `changes`, all else by what `addOthers` adds.
    func replace(
        _ devices: Set<DeviceID>, by changes: [StateChange], addOthers: (DeviceID, Database) throws -> Void
    ) throws {
        try database.write { database in
            for device in devices.sorted() {
                for table in ["state", "part", "waiting"] + StateFile.otherTables.map(\.name) {
                    try database.cachedStatement(sql: "DELETE FROM \(table) WHERE device = ?").execute(arguments: [
                        device.rawValue
                    ])
                }
                try addOthers(device, database)
                // Running time is counted in each directory by itself.
                try database.cachedStatement(sql: "UPDATE removed SET at = ? WHERE device = ?")
                    .execute(arguments: [clock.running, device.rawValue])
            }
            for change in changes { try Self.write(change, to: database) }
        }
    }
}
