#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Up to which `seq` the frames of a stream need not be kept any more.
public struct Acknowledgement: Sendable, Hashable {
    /// The stream.
    public let stream: StreamName
    /// The boot that the `seq` counts in.
    public let boot: BootID
    /// The last `seq` that need not be kept.
    public let sequence: UInt64
    /// The last `seq` of other boots that need not be kept: of recorded acceleration alone, which the gateway takes of any boot.
    let others: [BootID: UInt64]
    /// That of the gateway that says so; nil where there is none.
    let epoch: UInt64?

    /// Reads a message on `{root}/{device}/out/committed/{stream}`; nil for any other payload.
    public init?(_ payload: [UInt8]) {
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(payload)), report.schema == "wearables/1",
            let stream = StreamName(rawValue: String(report.kind.dropFirst(Self.prefix.count))),
            report.kind.hasPrefix(Self.prefix)
        else { return nil }
        (self.stream, boot, sequence, epoch) = (stream, report.boot, report.seq, report.epoch)
        others = Dictionary((report.otherBoots ?? []).map { ($0.boot, $0.seq) }, uniquingKeysWith: max)
    }

    /// The acknowledgement of `frame` and those before it, for a device that keeps frames until the broker has accepted them.
    public init(_ frame: Frame) {
        (stream, boot, sequence) = (frame.stream, frame.boot, frame.sequence)
        (others, epoch) = ([:], nil)
    }

    /// The last `seq` of `boot` that need not be kept; nil where nothing is known of it.
    func last(of boot: BootID) -> UInt64? { boot == self.boot ? sequence : others[boot] }

    /// Whether it covers nothing that `earlier`, with the same `boot`, does not.
    func repeats(_ earlier: Acknowledgement) -> Bool {
        guard boot == earlier.boot, sequence <= earlier.sequence else { return false }
        return others.allSatisfy { other in earlier.last(of: other.key).map { other.value <= $0 } ?? false }
    }

    private static let prefix = "committed/"

    private struct Report: Decodable {
        var schema: String
        var kind: String
        var boot: BootID
        var seq: UInt64
        var epoch: UInt64?
        var otherBoots: [OtherBoot]?
    }

    private struct OtherBoot: Decodable {
        var boot: BootID
        var seq: UInt64
    }
}
