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
    /// That of the gateway that says so; nil where there is none.
    let epoch: UInt64?

    /// Reads a message on `{root}/{device}/out/committed/{stream}`; nil for any other payload.
    public init?(_ payload: [UInt8]) {
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(payload)), report.schema == "wearables/1",
            let stream = StreamName(rawValue: String(report.kind.dropFirst(Self.prefix.count))),
            report.kind.hasPrefix(Self.prefix)
        else { return nil }
        (self.stream, boot, sequence, epoch) = (stream, report.boot, report.seq, report.epoch)
    }

    /// The acknowledgement of `frame` and those before it, for a device that keeps frames until the broker has accepted them.
    public init(_ frame: Frame) {
        (stream, boot, sequence) = (frame.stream, frame.boot, frame.sequence)
        epoch = nil
    }

    private static let prefix = "committed/"

    private struct Report: Decodable {
        var schema: String
        var kind: String
        var boot: BootID
        var seq: UInt64
        var epoch: UInt64?
    }
}
