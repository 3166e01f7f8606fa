internal import StateCoding
import TelemetryModel

/// The states of a device's derivations, stored separately: a state is created by the first frame of its streams, and changing
/// one copies none of the others.
package struct DerivationSet: Sendable, Equatable {
    private struct Slot: Sendable, Equatable {
        var state: (any Derivation)?
        /// Whether the state differs from what was taken out last.
        var isChanged = false

        static func == (left: Self, right: Self) -> Bool {
            switch (left.state, right.state) {
            case (nil, nil): true
            case (let left?, let right?): left.isEqual(to: right)
            default: false
            }
        }
    }

    /// In the order of the list.
    private var slots = Array(repeating: Slot(), count: Derivations.all.count)

    /// No state.
    package init() {}

    /// The state of one derivation; nil before the first frame of its streams.
    package subscript<D: Derivation>(derivation: D.Type) -> D? { slots[Derivations.index(of: derivation)].state as? D }

    /// The state of one derivation, by its place in the list.
    subscript(index: Int) -> (any Derivation)? { slots[index].state }

    /// Whether every derivation admits that the device's state is dropped to make room.
    var isExpendable: Bool { slots.allSatisfy { $0.state?.isExpendable ?? true } }

    // MARK: Steps

    mutating func take(
        _ occurrence: Occurrence, by index: Int, as configured: any ConfiguredDerivation, facts: DeviceFacts,
        into output: inout DerivationOutput
    ) {
        if slots[index].state == nil {
            guard configured.begins(with: occurrence) else { return }
            slots[index].state = configured.makeState()
        }
        slots[index].state?.take(occurrence, as: configured, facts: facts, into: &output)
        slots[index].isChanged = true
    }

    func due(of index: Int, as configured: any ConfiguredDerivation) -> DeviceTime? {
        slots[index].state?.due(as: configured)
    }

    /// Whether one derivation has a state.
    func hasState(_ index: Int) -> Bool {
        if case .some = slots[index].state { true } else { false }
    }

    /// Fires the timers of one derivation that are due at or before `now`, of which there is one.
    mutating func fire(
        until now: DeviceTime, by index: Int, as configured: any ConfiguredDerivation, facts: DeviceFacts,
        into events: inout [DerivedEvent]
    ) {
        slots[index].state?.fire(until: now, as: configured, facts: facts, into: &events)
        slots[index].isChanged = true
    }

    /// Moves every instant by `seconds`.
    mutating func shift(by seconds: Double) {
        change { $0.shift(by: seconds) }
    }

    /// Records that the gateway has restarted and restored the states.
    mutating func markRestored() {
        change { $0.markRestored() }
    }

    /// Takes over the states that continue from the boot before.
    mutating func continueFrom(_ previous: Self) {
        for index in slots.indices {
            guard let continued = previous.slots[index].state?.continued() else { continue }
            slots[index] = Slot(state: continued, isChanged: true)
        }
    }

    /// Drops the states of the derivations for which `condition` is true.
    mutating func removeStates(where condition: (DerivationDeclaration) -> Bool) {
        for index in slots.indices where slots[index].state != nil && condition(Derivations.declarations[index]) {
            slots[index] = Slot(isChanged: true)
        }
    }

    private mutating func change(_ body: (inout any Derivation) -> Void) {
        for index in slots.indices where slots[index].state != nil {
            if var state = slots[index].state.take() {
                body(&state)
                slots[index] = Slot(state: state, isChanged: true)
            }
        }
    }
}

// MARK: Streams that move to another lane

extension DerivationSet {
    /// The places of the derivations that move with `streams`: of their own streams one is among those, and none among the streams
    /// that stay.
    static func indices(movingWith streams: Set<StreamName>, staying: Set<StreamName>) -> [Int] {
        Derivations.declarations.indices.filter { index in
            let homes = Derivations.declarations[index].homeStreams
            return !streams.isDisjoint(with: homes) && staying.isDisjoint(with: homes)
        }
    }

    /// Takes out the states of the derivations at `indices`.
    mutating func split(_ indices: [Int]) -> DerivationSet {
        var moved = DerivationSet()
        for index in indices {
            moved.slots[index].state = slots[index].state
            slots[index] = Slot(isChanged: true)
        }
        return moved
    }

    /// Adds states; returns the names of the parts that exist already, which stay unchanged.
    mutating func join(_ moved: DerivationSet) -> [String] {
        var dropped: [String] = []
        for index in slots.indices where moved.slots[index].state != nil {
            if slots[index].state == nil {
                slots[index] = Slot(state: moved.slots[index].state, isChanged: true)
            } else {
                dropped.append(DeviceState.Part.derive + Derivations.declarations[index].name)
            }
        }
        return dropped
    }

    /// The names of the parts that the states are stored as.
    var parts: [String] {
        slots.indices.filter { slots[$0].state != nil }.map { DeviceState.Part.derive + Derivations.declarations[$0].name }
    }
}

// MARK: Storage

extension DerivationSet {
    /// Counts every derivation as changed.
    mutating func markChanged() {
        for index in slots.indices { slots[index].isChanged = true }
    }

    /// Appends the states that have changed since the last call, and the names of those that were removed.
    mutating func takeChanges(into parts: inout [StatePart], removed: inout [String], by encoder: StateEncoder) throws {
        for (index, declaration) in Derivations.declarations.enumerated() where slots[index].isChanged {
            let name = DeviceState.Part.derive + declaration.name
            if let state = slots[index].state {
                parts.append(try StatePart(name, state, by: encoder))
            } else {
                removed.append(name)
            }
            slots[index].isChanged = false
        }
    }

    /// Restores a stored state; throws when it cannot be read.
    mutating func restore(_ part: StatePart) throws {
        let name = part.name.dropFirst(DeviceState.Part.derive.count)
        guard let index = Derivations.declarations.firstIndex(where: { $0.name == name }) else { throw UnknownPart() }
        slots[index].state = try Derivations.all[index].restored(from: part)
    }

    /// Restores a state that was decoded elsewhere.
    mutating func restore<D: Derivation>(_ state: D) { slots[Derivations.index(of: D.self)].state = state }
}

extension Derivation {
    fileprivate static func restored(from part: StatePart) throws -> any Derivation { try part.value(Self.self) }
}

/// A part that no derivation of this version has.
struct UnknownPart: Error, CustomStringConvertible {
    let description = "this build has no such part"
}
