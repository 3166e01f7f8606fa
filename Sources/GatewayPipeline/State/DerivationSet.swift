internal import StateCoding
import TelemetryModel

/// The states of a device's derivations, stored separately: a state is created by the first frame of its streams, and changing
/// one copies none of the others.
package struct DerivationSet: Sendable, Equatable {
    private struct Entry {
        var state: any Derivation
        /// When its earliest timer fires; nil where that is not known. Every frame asks for it, and most change no timer.
        var due: DeviceTime??
    }

    /// The states there are, in the order of the list: most devices have a few of them.
    private var entries: [Entry] = []
    /// Which derivations have a state.
    private var present = DerivationIndices()
    /// Of which the state differs from what was taken out last, or was removed.
    private var changed = DerivationIndices()

    /// No state.
    package init() {}

    /// Compares the states alone.
    package static func == (left: Self, right: Self) -> Bool {
        left.present == right.present && zip(left.entries, right.entries).allSatisfy { $0.state.isEqual(to: $1.state) }
    }

    /// The state of one derivation; nil before the first frame of its streams.
    package subscript<D: Derivation>(derivation: D.Type) -> D? { self[Derivations.index(of: derivation)] as? D }

    /// The state of one derivation, by its place in the list.
    subscript(index: Int) -> (any Derivation)? { present.position(of: index).map { entries[$0].state } }

    /// Whether every derivation admits that the device's state is dropped to make room.
    var isExpendable: Bool { entries.allSatisfy(\.state.isExpendable) }

    private mutating func set(_ state: (any Derivation)?, at index: Int) {
        switch (present.position(of: index), state) {
        case (let position?, let state?): entries[position] = Entry(state: state)
        case (nil, let state?): entries.insert(Entry(state: state), at: present.insert(index))
        case (let position?, nil):
            entries.remove(at: position)
            present.remove(index)
        case (nil, nil): break
        }
    }

    // MARK: Steps

    mutating func take(
        _ occurrence: Occurrence, by index: Int, as configured: any ConfiguredDerivation, facts: DeviceFacts,
        into output: inout DerivationOutput
    ) {
        if !present.contains(index) {
            guard configured.begins(with: occurrence, facts: facts) else { return }
            set(configured.makeState(), at: index)
        }
        guard let position = present.position(of: index) else { return }
        entries[position].state.take(occurrence, as: configured, facts: facts, into: &output)
        recordChange(of: index, at: position, as: configured)
    }

    /// Marks one derivation as changed, and keeps when its next timer is due.
    private mutating func recordChange(of index: Int, at position: Int, as configured: any ConfiguredDerivation) {
        entries[position].due = .some(entries[position].state.due(as: configured))
        changed.insert(index)
    }

    /// When the earliest timer of one derivation fires; nil where none runs, as without a state.
    func due(of index: Int, as configured: @autoclosure () -> any ConfiguredDerivation) -> DeviceTime? {
        guard let position = present.position(of: index) else { return nil }
        if let due = entries[position].due { return due }
        return entries[position].state.due(as: configured())
    }

    /// Fires the timers of one derivation that are due at or before `now`.
    mutating func fire(
        until now: DeviceTime, by index: Int, as configured: any ConfiguredDerivation, facts: DeviceFacts,
        into events: inout [DerivedEvent]
    ) {
        guard let position = present.position(of: index) else { return }
        entries[position].state.fire(until: now, as: configured, facts: facts, into: &events)
        recordChange(of: index, at: position, as: configured)
    }

    /// Moves every instant by `seconds`.
    mutating func shift(by seconds: Double) {
        changeAll { $0.shift(by: seconds) }
        changed.formUnion(present)
    }

    /// Records that the gateway has restarted and restored the states.
    mutating func markRestored() {
        changeAll { $0.markRestored() }
        changed.formUnion(present)
    }

    private mutating func changeAll(_ change: (inout any Derivation) -> Void) {
        for position in entries.indices {
            change(&entries[position].state)
            entries[position].due = nil
        }
    }

    /// Takes over the states that continue from the boot before, or from the one in between where this boot has come back.
    ///
    /// Unix time is that boot's device time plus `offset`; what waits in that boot comes `seconds` later by this boot's device time.
    mutating func continueFrom(_ previous: Self, offset: Double, shiftedBy seconds: Double) {
        for (position, index) in previous.present.enumerated() {
            var before = previous.entries[position].state
            before.leaveClock(offset: offset)
            let own = present.position(of: index).map { entries[$0].state }
            guard var continued = own.map({ $0.resumed(afterAny: before) }) ?? before.continued() else { continue }
            continued.shift(by: seconds)
            set(continued, at: index)
            changed.insert(index)
        }
    }

    /// Changes the state of one derivation, where there is one.
    mutating func change<D: Derivation>(_ derivation: D.Type, _ change: (inout D) -> Void) {
        let index = Derivations.index(of: derivation)
        guard let position = present.position(of: index), var state = entries[position].state as? D else { return }
        change(&state)
        entries[position] = Entry(state: state)
        changed.insert(index)
    }

    /// The places of the derivations that follow from histories, among other streams.
    private static let ofHistories = Derivations.declarations.indices.filter {
        Derivations.declarations[$0].streams.contains(.recordedAccelerometer)
    }

    /// Takes over what continues of the states that follow from histories, where there is no state.
    mutating func continueHistories(_ other: Self) {
        for index in Self.ofHistories where !present.contains(index) {
            guard let state = other[index]?.continued() else { continue }
            set(state, at: index)
            changed.insert(index)
        }
    }

    /// Drops the states of the derivations for which `condition` is true.
    mutating func removeStates(where condition: (DerivationDeclaration) -> Bool) {
        for index in present where condition(Derivations.declarations[index]) {
            set(nil, at: index)
            changed.insert(index)
        }
    }
}

// MARK: Storage

extension Derivations {
    /// The names of the parts that the states are stored as.
    fileprivate static let partNames = declarations.map { DeviceState.Part.derive + $0.name }
}

extension DerivationSet {
    /// Counts every derivation as changed, also those without a state: what is stored of them is removed.
    mutating func markChanged() { changed = DerivationIndices(first: Derivations.all.count) }

    /// Appends the states that have changed since the last call, and the names of those that were removed.
    mutating func takeChanges(into parts: inout [StatePart], removed: inout [String], by encoder: StateEncoder) throws {
        for index in changed {
            let name = Derivations.partNames[index]
            if let position = present.position(of: index) {
                parts.append(try StatePart(name, entries[position].state, by: encoder))
            } else {
                removed.append(name)
            }
            changed.remove(index)
        }
    }

    /// Restores a stored state; throws when it cannot be read.
    mutating func restore(_ part: StatePart) throws {
        guard let index = Derivations.partNames.firstIndex(of: part.name) else { throw UnknownPart() }
        set(try Derivations.all[index].restored(from: part), at: index)
    }
}

extension Derivation {
    fileprivate func resumed(afterAny other: any Derivation) -> (any Derivation)? {
        (other as? Self).flatMap { resumed(after: $0) }
    }

    fileprivate static func restored(from part: StatePart) throws -> any Derivation { try part.value(Self.self) }
}

/// A part that no derivation of this version has.
struct UnknownPart: Error, CustomStringConvertible {
    let description = "this build has no such part"
}
