import GatewayPipeline
import TelemetryModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One derived message as a row of its table.
package struct ExportRow: Sendable, Equatable {
    /// The table.
    package let table: ExportTable
    /// The id of the device.
    package let device: String
    /// The second level of the kind, such as `headphone`; nil where the kind has one level.
    package let subject: String?
    /// When it happened, in unix seconds.
    package let at: Double
    let message: MessageValue

    /// Why a payload is no row.
    package struct Problem: Error, CustomStringConvertible {
        /// The reason.
        package let description: String
        /// Whether it is a frame of a device: then the whole file is likely to be a recording of frames.
        package var isOfFrame = false
    }

    private static let times = -9e9...9e9

    /// Reads the payload of a message; nil for messages that are no measurements: cleared topics, reports of what is committed,
    /// and the gateway's own messages.
    package init?(_ payload: [UInt8]) throws(Problem) {
        guard !payload.isEmpty else { return nil }
        guard let message = try? JSONDecoder().decode(MessageValue.self, from: Data(payload)), case .object = message else {
            throw Problem(description: "the payload is no JSON object")
        }
        guard let kind = message.member(["kind"])?.text else {
            if message.member(["gateway"]) != nil { return nil }
            if message.member(["uptime"]) != nil {
                throw Problem(
                    description: "a frame of a device, not a derived message: run 'fathom replay' first", isOfFrame: true)
            }
            throw Problem(description: "'kind' is missing")
        }
        let levels = kind.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        if levels[0] == "committed" { return nil }
        guard let table = ExportTable.all.first(where: { $0.name == levels[0] }) else {
            throw Problem(description: "'\(kind.prefix(64))' is no kind of this version")
        }
        let subject = levels.count > 1 ? levels[1] : nil
        guard let device = message.member(["device"])?.text, Identifier(device) != nil,
            subject.map({ $0.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { Identifier($0) != nil } })
                ?? true
        else { throw Problem(description: "the device or the subject is no identifier") }
        guard let at = message.member(["at"])?.number, Self.times.contains(at) else {
            throw Problem(description: "'at' is no unix time in seconds")
        }
        (self.table, self.device, self.subject, self.at, self.message) = (table, device, subject, at, message)
    }
}
