package import TelemetryModel

/// Streams that move to another lane, and the parts of a device's state that move with them.
///
/// All lanes receive `status`, `workout` and `command`, so the order of these does not move, and a lane that has a state of the device keeps
/// its own values of them. A lane without a state of the device gets those of the source.
extension DeviceState {
    /// Moves what belongs to `streams` to `other`, the state of `device` in another lane; `DeviceState()` if that has none.
    ///
    /// Does nothing if this state has nothing of the streams. Otherwise everything that `other` has of them is replaced, so a repeated move
    /// gives the same result. Returns the parts that cannot be added to `other`; they are left out.
    package mutating func moveStreams(
        _ streams: Set<StreamName>, of device: DeviceID, producers: Producers = Producers(), to other: inout DeviceState
    ) -> [DroppedPart] {
        let selection = StreamSelection(streams: streams, producers: producers)
        var moved = split(selection)
        guard !moved.isBlank else { return [] }
        _ = other.split(selection)
        other.access.join(moved.access)
        other.budgets.refused.merge(moved.budgets.refused)
        if let gaps = moved.budgets.gaps {
            other.budgets.gaps = other.budgets.gaps ?? [:]
            other.budgets.gaps?.merge(gaps)
        }
        other.retained.join(moved.retained)
        other.latest.join(moved.latest)
        if !moved.history.isBlank { other.history = moved.history }
        // What follows from histories is of no boot.
        let histories = moved.boot.derivations.splitHistories()
        moved.displaced?.derivations.splitHistories()
        let dropped = other.boot.join(histories) + other.joinBoots(moved, of: self)
        // Of the others that derive from histories and are left out, what was published of the histories is not.
        if streams.contains(.recordedAccelerometer) { other.boot.derivations.continueHistories(moved.boot.derivations) }
        if streams.contains(.status), other.intake.boots.current == intake.boots.current { other.takeStatus(of: self) }
        return dropped.map { DroppedPart(device: device, part: $0.part, reason: $0.reason) }
    }

    /// Whether the state has nothing but boots and clocks.
    package var isBlank: Bool {
        intake.order.isBlank && intake.displaced?.order.isBlank ?? true && intake.waiting.isEmpty && intake.placesAhead.isEmpty
            && access == AccessState() && boot.isBlank && displaced?.isBlank ?? true && retained.kinds.isEmpty
            && history.isBlank
    }

    // MARK: Taking out

    /// Takes out what belongs to the selected streams.
    private mutating func split(_ selection: StreamSelection) -> DeviceState {
        var moved = DeviceState()
        let streams = selection.streams(in: intake.order, boot)
        let derivations = boot.indices(movingWith: streams.union(selection.streams)).map { Derivations.declarations[$0] }
        moved.boot = boot.split(streams, selection)
        moved.intake.order = intake.order.split(streams, selection)
        if let before = intake.displaced {
            let streams = selection.streams(in: before.order, displaced ?? BootState())
            moved.displaced = displaced?.split(streams, selection)
            let order = intake.displaced?.order.split(streams, selection)
            moved.intake.displaced = order.map { .init(boot: before.boot, order: $0) }
        }
        for message in intake.waiting.removeAll(where: { selection.contains($0.scope) }) { moved.intake.waiting.insert(message) }
        moved.intake.doubts = intake.doubts.filter { selection.contains($0.scope) }
        intake.doubts.removeAll { selection.contains($0.scope) }
        moved.intake.placesAhead = intake.placesAhead.filter { selection.contains($0.scope) }
        intake.placesAhead.removeAll { selection.contains($0.scope) }
        for stream in streams { moved.access.decisions[stream] = access.decisions.removeValue(forKey: stream) }
        if selection.streams.contains(.recordedAccelerometer) {
            moved.history = history
            history = HistoryTrack()
        }
        for stream in streams {
            moved.budgets.refused[stream] = budgets.refused.removeValue(forKey: stream)
            guard let gaps = budgets.gaps?.removeValue(forKey: stream) else { continue }
            moved.budgets.gaps = moved.budgets.gaps ?? [:]
            moved.budgets.gaps?[stream] = gaps
        }
        if streams.contains(.submersion) {
            moved.access.depthRefusal = access.depthRefusal
            access.depthRefusal = nil
        }
        func isMoving(_ kind: String) -> Bool {
            streams.contains { kind.hasSuffix("/\($0.rawValue)") } || derivations.contains { $0.publishes(kind) }
        }
        moved.retained = retained.split(where: isMoving)
        moved.latest = latest.split(where: isMoving)
        return moved
    }

    // MARK: Joining

    private typealias Dropped = (part: String, reason: String)

    /// Adds the moved state of the boots, and the moved messages that wait.
    ///
    /// If the two lanes are in different boots, the one that is behind still has frames of the earlier boot to read. If this lane is behind,
    /// it stays in its boot, and the moved state becomes that of the displaced boot, which is used when a frame of that boot arrives. If this
    /// lane is ahead, the moved state is that of a boot that has ended.
    private mutating func joinBoots(_ moved: DeviceState, of source: DeviceState) -> [Dropped] {
        guard let current = source.intake.boots.current else { return [] }
        if source.intake.boots.isOfPresence, !intake.boots.isOfPresence, let offset = intake.clock.latestOffset {
            var moved = moved
            moved.boot.derivations.shift(by: -offset)
            return joinCurrent(moved, of: source)
        }
        if intake.boots.isOfPresence, !source.intake.boots.isOfPresence {
            boot.derivations.shift(by: -(source.intake.clock.latestOffset ?? 0))
            takeBoots(of: source)
        } else if intake.boots.current == nil || (holdsOnlySharedStreams && !intake.boots.contains(current)) {
            takeBoots(of: source)
        }
        if intake.boots.current == current { return joinCurrent(moved, of: source) + joinDisplaced(moved) }
        for message in moved.intake.waiting.messages { wait(message) }
        intake.placesAhead += moved.intake.placesAhead
        if intake.displaced?.boot != current {
            guard !intake.boots.contains(current) else { return moved.boot.derivations.parts.map { ($0, Self.left) } }
            intake.displaced = .init(boot: current, order: BootOrder(clock: source.intake.order.clock))
            displaced = BootState()
            displaced?.id = current
        }
        intake.displaced?.order.join(moved.intake.order)
        return displaced?.join(moved.boot) ?? []
    }

    private static let left = "the lane that its streams moved to is in a later boot of the device"

    private mutating func joinCurrent(_ moved: DeviceState, of source: DeviceState) -> [Dropped] {
        if moved.intake.waiting.holds(.boot) { intake.boots.joinCandidate(of: source.intake.boots) }
        for message in moved.intake.waiting.messages { intake.waiting.insert(message) }
        intake.doubts += moved.intake.doubts
        intake.placesAhead += moved.intake.placesAhead
        intake.order.join(moved.intake.order)
        return boot.join(moved.boot)
    }

    /// Adds the moved state of the displaced boot, if this lane has the same one or none.
    private mutating func joinDisplaced(_ moved: DeviceState) -> [Dropped] {
        guard let before = moved.intake.displaced, let state = moved.displaced else { return [] }
        if intake.displaced == nil {
            intake.displaced = .init(boot: before.boot, order: BootOrder())
            displaced = BootState()
            displaced?.id = before.boot
        }
        guard intake.displaced?.boot == before.boot else { return state.derivations.parts.map { ("displaced/\($0)", Self.left) } }
        intake.displaced?.order.join(before.order)
        return displaced?.join(state) ?? []
    }

    /// Adds a message of another boot than the current one. It waits for its boot.
    private mutating func wait(_ message: WaitingMessage) {
        var message = message
        message.reason = .boot
        message.until = message.received.monotonic + IntakeLimits().bootWaitSeconds
        intake.waiting.insert(message)
    }

    /// Whether everything in the state comes from the streams that every lane receives.
    private var holdsOnlySharedStreams: Bool {
        intake.waiting.isEmpty && boot.derivations.parts.isEmpty && intake.order.conventions.isEmpty
            && intake.order.positions.keys.allSatisfy { $0.stream?.concernsAllStreams == true }
            && boot.histories.keys.allSatisfy(\.concernsAllStreams)
    }

    /// Enters the boot of another lane, with its state of the streams that every lane receives.
    private mutating func takeBoots(of source: DeviceState) {
        intake.boots = source.intake.boots
        intake.order = source.intake.order.shared
        intake.displaced = source.intake.displaced.map { .init(boot: $0.boot, order: $0.order.shared) }
        access.status = source.access.status ?? access.status
        let derivations = boot.derivations
        boot = source.boot.shared
        boot.derivations = derivations
        displaced = source.displaced?.shared
    }

    /// Takes the status and its position in the order from the lane that has published connections until now, so that none is published
    /// twice.
    private mutating func takeStatus(of source: DeviceState) {
        let scope = SequenceScope(.status)
        guard let position = source.intake.order.positions[scope], position.next > intake.order.positions[scope]?.next ?? 0 else {
            return
        }
        intake.order.positions[scope] = position
        access.status = source.access.status
        boot.histories[.status] = source.boot.histories[.status]
        _ = intake.waiting.removeAll {
            $0.scope == scope && $0.reason == .earlierFrame && ($0.header.sequence ?? 0) < position.next
        }
    }
}

/// The streams that move, and the scopes that move with them.
private struct StreamSelection {
    /// The streams.
    let streams: Set<StreamName>
    let producers: Producers

    /// Whether the position of `scope` moves. Of the streams that every lane receives each lane has its own positions.
    func contains(_ scope: SequenceScope) -> Bool {
        if let stream = scope.stream { return streams.contains(stream) && !stream.concernsAllStreams }
        return producers.stream(of: scope).map(streams.contains) ?? false
    }

    /// The streams whose state moves in one boot of a device: those selected, and those that only moving producers have sent frames of.
    func streams(in order: BootOrder, _ boot: BootState) -> Set<StreamName> {
        var moving = streams.filter { !$0.concernsAllStreams }
        guard order.positions.keys.contains(where: { $0.stream == nil && contains($0) }) else { return moving }
        let staying = order.positions.keys.filter { !contains($0) }.compactMap { $0.stream ?? producers.stream(of: $0) }
        moving.formUnion(boot.histories.keys.filter { !$0.concernsAllStreams && !staying.contains($0) })
        moving.formUnion(order.conventions.keys.filter { !staying.contains($0) })
        return moving
    }
}

extension RetainedMessages {
    fileprivate mutating func split(where condition: (String) -> Bool) -> RetainedMessages {
        var moved = RetainedMessages()
        for kind in kinds where condition(kind) {
            moved[kind: kind] = self[kind: kind]
            self[kind: kind] = nil
        }
        return moved
    }

    fileprivate mutating func join(_ moved: RetainedMessages) {
        for kind in moved.kinds { self[kind: kind] = moved[kind: kind] }
    }
}

extension AccessState {
    fileprivate mutating func join(_ moved: AccessState) {
        decisions.merge(moved.decisions)
        depthRefusal = moved.depthRefusal ?? depthRefusal
    }
}

extension BootOrder {
    fileprivate var isBlank: Bool { positions.isEmpty && conventions.isEmpty }

    /// The positions of the streams that every lane receives.
    fileprivate var shared: BootOrder {
        BootOrder(
            clock: clock, positions: positions.filter { $0.key.stream?.concernsAllStreams == true },
            clocks: clocks.filter { $0.key.stream?.concernsAllStreams == true }, endedRuns: endedRuns)
    }

    fileprivate mutating func split(_ streams: Set<StreamName>, _ selection: StreamSelection) -> BootOrder {
        let moved = BootOrder(
            clock: clock, positions: positions.filter { selection.contains($0.key) },
            conventions: conventions.filter { streams.contains($0.key) },
            clocks: clocks.filter { selection.contains($0.key) }, series: series.filter { streams.contains($0.key) },
            endedRuns: endedRuns)
        clocks = clocks.filter { !selection.contains($0.key) }
        series = series.filter { !streams.contains($0.key) }
        positions = positions.filter { !selection.contains($0.key) }
        conventions = conventions.filter { !streams.contains($0.key) }
        return moved
    }

    fileprivate mutating func join(_ moved: BootOrder) {
        clock.join(moved.clock)
        positions.merge(moved.positions)
        conventions.merge(moved.conventions)
        clocks.merge(moved.clocks)
        series.merge(moved.series)
        endedRuns = max(endedRuns, moved.endedRuns)
    }
}

extension BootState {
    fileprivate var isBlank: Bool {
        var frames = frames
        frames.id = nil
        return frames == BootFrames() && derivations.parts.isEmpty
    }

    /// The places of the derivations that move with `streams`: none of their other streams has sent frames.
    fileprivate func indices(movingWith streams: Set<StreamName>) -> [Int] {
        DerivationSet.indices(movingWith: streams, staying: Set(histories.keys).subtracting(streams))
    }

    /// The state of the streams that every lane receives.
    fileprivate var shared: BootState {
        var shared = BootState()
        shared.id = id
        shared.workouts = workouts
        shared.histories = histories.filter(\.key.concernsAllStreams)
        shared.runs = runs.filter(\.key.concernsAllStreams)
        return shared
    }

    fileprivate mutating func split(_ streams: Set<StreamName>, _ selection: StreamSelection) -> BootState {
        var moved = BootState()
        moved.derivations = derivations.split(indices(movingWith: streams.union(selection.streams)))
        moved.histories = histories.filter { streams.contains($0.key) }
        moved.runs = runs.filter { streams.contains($0.key) }
        runs = runs.filter { !streams.contains($0.key) }
        histories = histories.filter { !streams.contains($0.key) }
        if streams.contains(.batchedIMU) {
            moved.frames.accelerometerGaps = frames.accelerometerGaps
            moved.frames.deviceMotionGaps = frames.deviceMotionGaps
            frames.accelerometerGaps = SampleGaps()
            frames.deviceMotionGaps = SampleGaps()
        }
        return moved
    }

    /// Adds moved states; returns the parts that this lane has already.
    fileprivate mutating func join(_ moved: DerivationSet) -> [(part: String, reason: String)] {
        derivations.join(moved).map { ($0, "the lane that its streams moved to derives it from others as well") }
    }

    /// Adds the moved state; returns the parts that this lane has already.
    fileprivate mutating func join(_ moved: BootState) -> [(part: String, reason: String)] {
        histories.merge(moved.histories)
        if !moved.runs.isEmpty { runs.merge(moved.runs) }
        if moved.histories[.batchedIMU] != nil {
            frames.accelerometerGaps = moved.frames.accelerometerGaps
            frames.deviceMotionGaps = moved.frames.deviceMotionGaps
        }
        return join(moved.derivations)
    }
}
