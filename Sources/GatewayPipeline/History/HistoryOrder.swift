import SignalProcessing
import TelemetryModel

/// Which frames of a history's boot were received, by `seq` from 0: up to the first that is missing, everything is stored.
struct HistoryOrder: Sendable, Equatable, Codable {
    /// Consecutive frames that were received.
    struct Piece: Sendable, Equatable, Codable {
        var first: UInt64
        var last: UInt64
        /// The greatest identifier in them; nil where there is none.
        var through: Int64?
        /// The date of their latest sample; nil where there is none.
        var throughDate: UnixTime?
        /// The date of their earliest sample.
        var fromDate: UnixTime?
        /// When the first of them to arrive did.
        var since: UnixTime

        mutating func join(_ other: Piece) {
            first = min(first, other.first)
            last = max(last, other.last)
            through = through.greatest(other.through)
            throughDate = throughDate.greatest(other.throughDate)
            fromDate = fromDate.least(other.fromDate)
            since = min(since, other.since)
        }
    }

    /// More gaps are not kept: the first is given up.
    static let mostPieces = 4_096

    /// The boot.
    let boot: BootID
    /// What was received, in order; two pieces are never adjacent.
    private(set) var pieces: [Piece] = []

    /// A boot without frames.
    init(boot: BootID) { self.boot = boot }

    /// The frames from 0 on without a gap; nil where the first is missing.
    var prefix: Piece? { pieces.first.flatMap { $0.first == 0 ? $0 : nil } }

    /// The date of the latest sample of the boot.
    var latest: UnixTime? { pieces.compactMap(\.throughDate).max() }

    /// Whether the frame was received.
    func contains(_ sequence: UInt64) -> Bool {
        let index = index(after: sequence)
        return index > 0 && pieces[index - 1].last >= sequence
    }

    /// Records a frame, or the place of one that was rejected, which has no samples.
    mutating func note(_ piece: Piece) {
        guard !contains(piece.first) else { return }
        var index = index(after: piece.first)
        pieces.insert(piece, at: index)
        if index > 0, pieces[index - 1].last + 1 == piece.first {
            pieces[index - 1].join(pieces.remove(at: index))
            index -= 1
        }
        if index + 1 < pieces.count, pieces[index].last + 1 == pieces[index + 1].first {
            let next = pieces.remove(at: index + 1)
            pieces[index].join(next)
        }
    }

    /// When the first missing frame is given up, `wait` seconds after one behind it arrived; nil where none is missing.
    func deadline(_ wait: Double) -> UnixTime? { pieceAfterGap.map { pieces[$0].since + wait } }

    /// Gives up the first missing frames; returns them, with the dates of the samples before and behind them.
    mutating func giveUp() -> (sequences: ClosedRange<UInt64>, from: UnixTime, to: UnixTime)? {
        guard let index = pieceAfterGap else { return nil }
        let first = index == 0 ? 0 : pieces[index - 1].last + 1
        let missing = first...(pieces[index].first - 1)
        let to = pieces[index].fromDate ?? pieces[index].since
        let from = index == 0 ? to : pieces[index - 1].throughDate ?? to
        pieces[index].first = first
        if index > 0 { pieces[index - 1].join(pieces.remove(at: index)) }
        return (missing, min(from, to), to)
    }

    private var pieceAfterGap: Int? {
        guard let first = pieces.first else { return nil }
        if first.first > 0 { return 0 }
        return pieces.count > 1 ? 1 : nil
    }

    /// The index of the first piece that begins after `sequence`.
    private func index(after sequence: UInt64) -> Int {
        pieces.partitioningIndex { $0.first > sequence }
    }
}
