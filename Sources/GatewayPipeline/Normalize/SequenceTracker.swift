import TelemetryModel

/// The order of one (device, stream, boot): what came, what came again, what is missing, what waits.
package struct SequenceTracker: Sendable, Equatable, Codable {
    /// What is to be done now, in order.
    package enum Step: Sendable, Equatable {
        /// Process the frame.
        case process(HeldFrame)
        /// Tell that the `count` frames from `first` on are missing; the frame after them follows.
        case missing(first: UInt64, count: UInt64)
    }

    /// How a frame was taken.
    package enum Acceptance: Sendable, Equatable {
        /// It is in order, or fills the gap; steps follow.
        case taken
        /// It waits for an earlier one.
        case held
        /// It was there before, or its place was given up: it changes nothing.
        case repeated
    }

    /// A first frame with a `seq` under this waits for the ones before it, and so many may wait at once.
    package static let defaultFrames = 64

    /// And so many bytes: ten seconds of batches, and what one device can take of the memory.
    static let maximumBytes = 512 * 1_024

    private var next: UInt64?
    /// Ordered by `seq`, none twice.
    package private(set) var held: [HeldFrame] = []

    /// Nothing has come yet.
    package init() {}

    /// Takes one frame; what can be processed now is appended to `steps`.
    package mutating func accept(
        _ frame: HeldFrame, sequence: UInt64, maximumHeld: Int, into steps: inout [Step]
    ) -> Acceptance {
        let expected = next ?? (sequence < UInt64(maximumHeld) ? min(sequence, Self.first(of: frame.carrier)) : sequence)
        next = expected
        guard sequence >= expected else { return .repeated }
        if sequence == expected {
            steps.append(.process(frame))
            next = expected + 1
            releaseConsecutive(into: &steps)
            return .taken
        }
        let index = held.firstIndex { ($0.header.sequence ?? 0) >= sequence } ?? held.endIndex
        if index < held.endIndex, held[index].header.sequence == sequence { return .repeated }
        held.insert(frame, at: index)
        while held.count > maximumHeld || heldBytes > Self.maximumBytes, !held.isEmpty { giveUpLowestGap(into: &steps) }
        return .held
    }

    /// The number that frames are counted from; some producers count from 1.
    private static func first(of carrier: Carrier) -> UInt64 { carrier.stream == nil ? 1 : 0 }

    private var heldBytes: Int { held.reduce(0) { $0 + $1.message.payload.count } }

    /// Whether no frame has come yet.
    package var isUnseen: Bool { next == nil }

    /// Takes a frame that waits for nothing, and before which nothing is missing: a retained one is the latest of its kind by
    /// definition, and what came before the first one of a resumed session was processed before.
    package mutating func acceptAtOnce(_ frame: HeldFrame, sequence: UInt64, into steps: inout [Step]) -> Acceptance {
        guard sequence >= next ?? 0 else { return .repeated }
        held.removeAll { ($0.header.sequence ?? 0) <= sequence }
        steps.append(.process(frame))
        next = sequence + 1
        releaseConsecutive(into: &steps)
        return .taken
    }

    /// When the longest wait ends, on the gateway's monotonic clock; nil when nothing waits.
    package func deadline(waitSeconds: Double) -> Double? {
        held.map(\.received.monotonic).min().map { $0 + waitSeconds }
    }

    /// Gives up every gap whose wait has ended at `monotonic`.
    package mutating func expire(at monotonic: Double, waitSeconds: Double, into steps: inout [Step]) {
        while let deadline = deadline(waitSeconds: waitSeconds), deadline <= monotonic {
            giveUpLowestGap(into: &steps)
        }
    }

    /// Gives up every gap: the end of input, or of the boot.
    package mutating func releaseAll(into steps: inout [Step]) {
        while !held.isEmpty { giveUpLowestGap(into: &steps) }
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        for index in held.indices { held[index].received.monotonic += seconds }
    }

    /// Everything before it was processed or given up; nil before the first frame.
    package var committed: UInt64? { next.flatMap { $0 > 0 ? $0 - 1 : nil } }

    private mutating func giveUpLowestGap(into steps: inout [Step]) {
        guard let lowest = held.first?.header.sequence, let expected = next else { return }
        if lowest > expected { steps.append(.missing(first: expected, count: lowest - expected)) }
        next = lowest
        releaseConsecutive(into: &steps)
    }

    private mutating func releaseConsecutive(into steps: inout [Step]) {
        var released = 0
        while released < held.count, let expected = next, held[released].header.sequence == expected {
            steps.append(.process(held[released]))
            next = expected + 1
            released += 1
        }
        held.removeFirst(released)
    }
}
