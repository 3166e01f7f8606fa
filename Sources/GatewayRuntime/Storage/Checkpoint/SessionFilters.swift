import GatewayConfiguration
import GatewayPipeline
import Glibc
import Mosquitto
import TelemetryModel

/// The record of one session, in the file `{lane}.filters` of the state directory, where the lane is the first that reads it: the topic
/// filters that the broker may hold.
///
/// The broker keeps a session's filters until they are unsubscribed: without a record of them, a filter that left the configuration
/// would go on delivering. The first line is a hash of the others, the second names the session, every other one is a filter.
struct SessionFilters: Sendable {
    /// The content of the file.
    struct Record: Sendable, Equatable {
        /// The client id and account of the session.
        var session: String
        /// The filters.
        var filters: Set<String>

        /// Whether the session holds the heartbeats of a lane, which therefore has to read it.
        func isRead(by lane: GatewayConfiguration.Lanes.Name) -> Bool {
            filters.contains { $0.hasSuffix("/heartbeat/\(lane.rawValue)") }
        }
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
    var record: Record? {
        guard let text = try? StateFiles.text("\(folder)/\(name)"), let end = text.firstIndex(of: "\n") else { return nil }
        let content = text[text.index(after: end)...]
        guard text[..<end] == Self.hash(String(content)) else { return nil }
        let lines = content.split(separator: "\n").map(String.init)
        guard let session = lines.first else { return nil }
        return Record(session: session, filters: Set(lines.dropFirst()))
    }

    private static func hash(_ text: String) -> String {
        var hash = FNV1a64()
        hash.add(text)
        return hash.digits
    }

    /// The recorded filters; nil when nothing is recorded for this session.
    func load() -> Set<String>? { record.flatMap { $0.session == session ? $0.filters : nil } }

    /// Replaces the record. When this returns, it survives a loss of power.
    func store(_ filters: Set<String>) throws(GatewayError) {
        let changed = Record(session: session, filters: filters)
        guard record != changed else { return }
        let lines = [changed.session] + changed.filters.sorted()
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
