import GatewayConfiguration
import GatewayPipeline
import Glibc
import Mosquitto
import TelemetryModel

/// The record of one session, in the file `{lane}.filters` of the state directory, where the lane is the first that reads it: the lanes
/// that read it, and the topic filters that the broker may hold.
///
/// The broker keeps a session's filters until they are unsubscribed: without a record of them, a filter that left the configuration
/// would go on delivering. The first line is a hash of the others, the second names the session, the third the lanes, and every other one
/// is a filter.
struct SessionFilters: Sendable {
    /// The content of the file.
    struct Record: Sendable, Equatable {
        /// The client id and account of the session.
        var session: String
        /// The lanes whose frames it has had without interruption since the last that they have committed: where the lane's present session is
        /// another one, this one is read to its end before. Another session may hold their filters, too, so that a change can begin.
        var lanes: Set<GatewayConfiguration.Lanes.Name>
        /// The filters.
        var filters: Set<String>
    }

    /// The client id and account of the lane's present session.
    let session: String
    private let folder: String
    private let name: String

    /// The record of `connection`'s session, in the file `name` of `folder`.
    init(_ name: String, in folder: String, of connection: MosquittoConfiguration) {
        self.folder = folder
        self.name = name
        session = [connection.clientID, connection.username].compactMap(\.self).joined(separator: " ")
    }

    /// The record, of this session or another one; nil when there is none, or the file is damaged: a filter that is none would be refused
    /// with every connection.
    var record: Record? { Self.record(name, in: folder) }

    /// The record in the file `name` of `folder`.
    static func record(_ name: String, in folder: String) -> Record? {
        guard let text = try? StateFiles.text("\(folder)/\(name)"), let end = text.firstIndex(of: "\n") else { return nil }
        let content = text[text.index(after: end)...]
        guard text[..<end] == hash(String(content)) else { return nil }
        let lines = content.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count > 2 else { return nil }
        let names = lines[1].split(separator: " ")
        let lanes = names.compactMap { GatewayConfiguration.Lanes.Name(rawValue: String($0)) }
        guard lanes.count == names.count else { return nil }
        return Record(session: lines[0], lanes: Set(lanes), filters: Set(lines[2...].dropLast()))
    }

    private static func hash(_ text: String) -> String {
        var hash = FNV1a64()
        hash.add(text)
        return hash.digits
    }

    /// The record; nil when nothing is recorded of this session.
    var present: Record? { record.flatMap { $0.session == session ? $0 : nil } }

    /// Replaces the record. When this returns, it survives a loss of power.
    func store(_ filters: Set<String>, readBy lanes: Set<GatewayConfiguration.Lanes.Name>) throws(GatewayError) {
        let changed = Record(session: session, lanes: lanes, filters: filters)
        guard record != changed else { return }
        let lines = [changed.session, changed.lanes.map(\.rawValue).sorted().joined(separator: " ")] + changed.filters.sorted()
        let content = lines.map { $0 + "\n" }.joined()
        let text = Array((Self.hash(content) + "\n" + content).utf8)
        try DurableFile.replace(name, in: folder, by: text)
    }
}

extension LanePlan {
    /// The filters that a session may have where none are recorded: any lane's, as all may have shared it.
    static func unrecordedFilters(_ configuration: GatewayConfiguration, producers: Producers) -> Set<String> {
        let levels = StreamName.allCases.map(\.rawValue) + ["#"]
        let filters = Set(configuration.gateway.prefixes.flatMap { prefix in levels.map { "\(prefix)/+/in/\($0)" } })
        return filters.union(producers.subscriptions.map(\.filter))
    }
}
