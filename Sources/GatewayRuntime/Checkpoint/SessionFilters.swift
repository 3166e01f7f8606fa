import GatewayConfiguration
import GatewayPipeline
import Glibc
import Mosquitto
import TelemetryModel

/// The topic filters that the broker may hold for the session of one lane, in the file `{lane}.filters` of the state directory.
///
/// The broker keeps a session's filters until they are unsubscribed: without a record of them, a filter that left the configuration
/// would go on delivering. The first line is a hash of the others, the second names the session, every other one is a filter.
struct SessionFilters: Sendable {
    private let path: String
    private let session: String

    /// The filters of `connection`'s session, in the file at `path`.
    init(path: String, of connection: MosquittoConfiguration) {
        self.path = path
        session = [connection.clientID, connection.username].compactMap(\.self).joined(separator: " ")
    }

    /// The recorded filters; nil when nothing is recorded for this session, or the file is damaged: a filter that is none would be
    /// refused with every connection.
    func load() -> Set<String>? {
        guard let text = try? TextFile.read(path), let end = text.firstIndex(of: "\n") else { return nil }
        let content = text[text.index(after: end)...]
        guard text[..<end] == Self.hash(String(content)) else { return nil }
        let lines = content.split(separator: "\n").map(String.init)
        return lines.first == session ? Set(lines.dropFirst()) : nil
    }

    private static func hash(_ text: String) -> String {
        var hash = FNV1a64()
        hash.add(text)
        return hash.digits
    }

    /// Replaces the record. When this returns, it survives a loss of power.
    func store(_ filters: Set<String>) throws(GatewayError) {
        guard load() != filters else { return }
        let content = ([session] + filters.sorted()).map { $0 + "\n" }.joined()
        let text = Array((Self.hash(content) + "\n" + content).utf8)
        let file = open("\(path).new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(path) }
        defer { close(file) }
        guard write(file, text, text.count) == text.count, fsync(file) == 0, rename("\(path).new", path) == 0 else {
            throw .system(path)
        }
    }
}

extension LanePlan {
    /// The filters that versions without a record subscribed a lane's session to, whatever their configuration was.
    func unrecordedFilters(of configuration: GatewayConfiguration, producers: Producers) -> Set<String> {
        let prefix = Self.prefix(of: configuration)
        var filters = Set(StreamName.allCases.map { "\(prefix)/\($0.rawValue)" })
        filters.insert("\(prefix)/#")
        // What the heartbeat was called at first.
        filters.insert("fathom/\(configuration.gateway.name)/canary/\(name.rawValue)")
        return filters.union(producers.subscriptions.map(\.filter))
    }
}
