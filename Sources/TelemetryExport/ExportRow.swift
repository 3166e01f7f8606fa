import GatewayPipeline
import TelemetryModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One derived message, or one sample of a series, as a row of its table.
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

    /// The rows of a message: one for each sample of a series, else one; none of messages that are no measurements: cleared topics,
    /// reports of what is committed, and the gateway's own messages.
    package static func rows(_ payload: [UInt8]) throws(Problem) -> [ExportRow] {
        guard let row = try ExportRow(payload) else { return [] }
        guard case .object(let members) = row.message, let times = members.sampleTimes else { return [row] }
        guard times.allSatisfy(Self.times.contains) else {
            throw Problem(description: "'timestamp' holds no unix times in seconds")
        }
        return times.indices.map { row.sample($0, of: times, members) }
    }

    private func sample(_ index: Int, of times: [Double], _ members: [String: MessageValue]) -> ExportRow {
        ExportRow(
            table: table, device: device, subject: subject, at: times[index], message: .object(members.sample(index, of: times)))
    }

    private init(table: ExportTable, device: String, subject: String?, at: Double, message: MessageValue) {
        (self.table, self.device, self.subject, self.at, self.message) = (table, device, subject, at, message)
    }

    /// Reads the payload of a message; nil for one that is no measurement.
    private init?(_ payload: [UInt8]) throws(Problem) {
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
        self.init(table: table, device: device, subject: subject, at: at, message: message)
    }
}
