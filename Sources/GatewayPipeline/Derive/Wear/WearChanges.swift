import TelemetryModel

/// The changes of wear that were published of a history, by the 15 min in which they lie, and what samples that come late make of them.
struct WearChanges: Sendable, Equatable, Codable {
    /// One change.
    struct Change: Sendable, Equatable, Codable {
        /// The state from it on.
        var state: WearState
        /// The state before; nil for the first.
        var previous: WearState?
        /// The block in which the state before began.
        var start: Int?
        /// How often the change was published before with other values.
        var revision = 0

        /// Whether samples that came later have undone it: the state goes on.
        var isUndone: Bool { previous == state }

        /// The change without `revision`.
        fileprivate var content: Self { Self(state: state, previous: previous, start: start) }
    }

    /// More changes are not remembered, the oldest first: five days that change every 15 min.
    private static let mostChanges = 512

    /// By the number of 15 min since 1970.
    private(set) var changes: [Int: Change] = [:]
    /// The block after the last one whose state is known.
    private var end: Int?

    /// The block of the latest change; nil where there is none.
    var newest: Int? { changes.filter { !$0.value.isUndone }.keys.max() }

    /// Takes the states of `blocks`, and returns the blocks of which a change is new, has another content or is undone, in order.
    ///
    /// What is known stays known: samples that are missing now were deleted since. Behind the last block that is known nothing changes yet.
    mutating func revise(_ blocks: Range<Int>, _ state: (Int) -> WearState) -> [Int] {
        guard let lastKnown = blocks.last(where: { state($0) != .unknown }) else { return [] }
        let all = blocks.lowerBound - 1...blocks.upperBound
        var states = published(all)
        for block in blocks where state(block) != .unknown { states[block - all.lowerBound] = state(block) }
        var found: [Int: WearState] = [:]
        // A time without samples begins where those of before ended.
        if let end, end < blocks.lowerBound { found[end] = .unknown }
        end = max(end ?? .min, lastKnown + 1)
        for block in blocks.lowerBound...blocks.upperBound where block < end ?? .min {
            let own = states[block - all.lowerBound]
            if own != states[block - 1 - all.lowerBound] { found[block] = own }
        }
        let revised = undo(in: blocks.lowerBound...blocks.upperBound, except: found) { states[$0 - all.lowerBound] } + link(found)
        changes.keepLast(Self.mostChanges)
        return revised.sorted()
    }

    /// The state of each block by the changes so far.
    private func published(_ blocks: ClosedRange<Int>) -> [WearState] {
        var rest = changes.filter { !$0.value.isUndone && $0.key <= blocks.upperBound }.sorted { $0.key < $1.key }[...]
        var state = WearState.unknown
        return blocks.map { block in
            while let next = rest.first, next.key <= block {
                state = next.value.state
                rest.removeFirst()
            }
            return block < end ?? .min ? state : .unknown
        }
    }

    /// Undoes the changes that are none any more; returns their blocks.
    private mutating func undo(
        in blocks: ClosedRange<Int>, except found: [Int: WearState], _ state: (Int) -> WearState
    ) -> [Int] {
        let gone = changes.filter { blocks.contains($0.key) && !$0.value.isUndone && found[$0.key] == nil }
        for (block, change) in gone {
            changes[block] = Change(state: state(block), previous: state(block), revision: change.revision + 1)
        }
        return Array(gone.keys)
    }

    /// Records the changes that were found, and what is before each one; returns the blocks of those that are new or differ.
    private mutating func link(_ found: [Int: WearState]) -> [Int] {
        var last: (block: Int, state: WearState)?
        var revised: [Int] = []
        for block in Set(found.keys).union(changes.filter { !$0.value.isUndone }.keys).sorted() {
            let before = changes[block]
            guard let state = found[block] ?? before?.state else { continue }
            defer { last = (block, state) }
            var change = Change(state: state, previous: last?.state, start: last?.block)
            // The one before the oldest is not remembered.
            if last == nil, let before, before.state == state, !before.isUndone { change = before.content }
            if let before, before.content == change { continue }
            change.revision = before.map { $0.revision + 1 } ?? 0
            changes[block] = change
            revised.append(block)
        }
        return revised
    }
}
