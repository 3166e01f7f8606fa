import GatewayConfiguration
import GatewayPipeline
import Glibc
import Mosquitto
import TelemetryModel

/// The record of one session, in the file `{lane}.filters` of the state directory, where the lane is the first that reads it: the topic
/// filters that the broker may hold.
///
/// The broker keeps a session's filters until they are unsubscribed: without a record of them, a filter that left the configuration
/// would go on delivering. The first line is a hash of the others, the second names the session, the third its place in the order in which
/// sessions got their filters, every other one is a filter.
struct SessionFilters: Sendable {
    typealias Lane = GatewayConfiguration.Lanes.Name

    /// The content of the file.
    struct Record: Sendable, Equatable {
        /// The client id and account of the session.
        var session: String
        /// Greater than that of every session which had its filters before this one got all of its own.
        var place: Int
        /// The filters.
        var filters: Set<String>

        /// Whether the session holds the heartbeats of a lane, which therefore has to read it.
        func isRead(by lane: Lane) -> Bool {
            filters.contains { $0.hasSuffix("/heartbeat/\(lane.rawValue)") }
        }
    }

    /// The client id and account of the lane's present session.
    let session: String
    private let folder: String
    private let lane: Lane

    /// The record of `connection`'s session, of which `lane` is the first that reads it, in `folder`.
    init(_ lane: Lane, in folder: String, of connection: MosquittoConfiguration) {
        self.folder = folder
        self.lane = lane
        session = [connection.clientID, connection.username].compactMap(\.self).joined(separator: " ")
    }

    /// The record, of this session or another one; nil when there is none, or the file is damaged: a filter that is none would be refused
    /// with every connection.
    var record: Record? { Self.record(of: lane, in: folder) }

    private static func file(of lane: Lane) -> String { "\(lane.rawValue).filters" }

    private static func record(of lane: Lane, in folder: String) -> Record? {
        guard let text = try? StateFiles.text("\(folder)/\(file(of: lane))"),
            let end = text.firstIndex(of: "\n")
        else { return nil }
        let content = text[text.index(after: end)...]
        guard text[..<end] == hash(String(content)) else { return nil }
        let lines = content.split(separator: "\n").map(String.init)
        guard lines.count >= 2, let place = Int(lines[1]) else { return nil }
        return Record(session: lines[0], place: place, filters: Set(lines.dropFirst(2)))
    }

    private static func hash(_ text: String) -> String {
        var hash = FNV1a64()
        hash.add(text)
        return hash.digits
    }

    /// The recorded filters; nil when nothing is recorded for this session.
    func load() -> Set<String>? { record.flatMap { $0.session == session ? $0.filters : nil } }

    /// Replaces the record, the last in order where it gets further filters. When this returns, it survives a loss of power.
    func store(_ filters: Set<String>) throws(GatewayError) {
        let before = record
        var changed = Record(session: session, place: before?.place ?? 0, filters: filters)
        if before?.session != session || !filters.isSubset(of: before?.filters ?? []) {
            changed.place = 1 + (Lane.allCases.compactMap { Self.record(of: $0, in: folder)?.place }.max() ?? 0)
        }
        guard before != changed else { return }
        let lines = [changed.session, "\(changed.place)"] + changed.filters.sorted()
        let content = lines.map { $0 + "\n" }.joined()
        let text = Array((Self.hash(content) + "\n" + content).utf8)
        try DurableFile.replace(Self.file(of: lane), in: folder, by: text)
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
