import GatewayConfiguration
import GatewayPipeline
import Glibc
import Mosquitto
import TelemetryModel

/// The record of one lane's session, in the file `{lane}.filters` of the state directory: the streams whose states the lane has, and the
/// topic filters that the broker may hold.
///
/// The broker keeps a session's filters until they are unsubscribed: without a record of them, a filter that left the configuration
/// would go on delivering. The first line is a hash of the others, the second names the session, the third the streams, every other one
/// is a filter.
struct SessionFilters: Sendable {
    /// The content of the file.
    struct Record: Sendable, Equatable {
        /// The client id and account of the session.
        var session: String
        /// The streams whose states the lane has.
        var streams: Set<StreamName>
        /// The filters.
        var filters: Set<String>
    }

    private static let streamsPrefix = "streams:"

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
        guard let session = lines.first, lines.count > 1, lines[1].hasPrefix(Self.streamsPrefix) else { return nil }
        let names = lines[1].dropFirst(Self.streamsPrefix.count).split(separator: " ")
        return Record(
            session: session, streams: Set(names.compactMap { StreamName(rawValue: String($0)) }),
            filters: Set(lines.dropFirst(2)))
    }

    private static func hash(_ text: String) -> String {
        var hash = FNV1a64()
        hash.add(text)
        return hash.digits
    }

    /// The recorded filters; nil when nothing is recorded for this session.
    func load() -> Set<String>? { record.flatMap { $0.session == session ? $0.filters : nil } }

    /// Replaces the record. When this returns, it survives a loss of power.
    func store(_ filters: Set<String>, streams: Set<StreamName>) throws(GatewayError) {
        try store(Record(session: session, streams: streams, filters: filters))
    }

    /// Replaces the streams. The session and its filters stay unchanged; does nothing if there is no record.
    func store(streams: Set<StreamName>) throws(GatewayError) {
        guard var record else { return }
        record.streams = streams
        try store(record)
    }

    private func store(_ changed: Record) throws(GatewayError) {
        guard record != changed else { return }
        let streams = ([Self.streamsPrefix] + changed.streams.map(\.rawValue).sorted()).joined(separator: " ")
        let lines = [changed.session, streams] + changed.filters.sorted()
        let content = lines.map { $0 + "\n" }.joined()
        let text = Array((Self.hash(content) + "\n" + content).utf8)
        try DurableFile.replace(name, in: folder, by: text)
    }
}

extension LanePlan {
    /// The filters that a lane's session may have where none are recorded: those of every assignment of streams to lanes.
    static func unrecordedFilters(
        _ configuration: GatewayConfiguration, producers: Producers
    ) -> Set<String> {
        let levels = StreamName.allCases.map(\.rawValue) + ["#"]
        let filters = Set(configuration.gateway.prefixes.flatMap { prefix in levels.map { "\(prefix)/+/in/\($0)" } })
        return filters.union(producers.subscriptions.map(\.filter))
    }
}
