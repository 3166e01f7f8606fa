import Foundation
import Synchronization

/// A bucket of NATS's key-value store: a stream of JetStream that keeps the last message of each of its subjects.
///
/// Its calls block, and may be made on any thread; calls at the same time have connections of their own, so that a large value of one holds
/// up no other. Each tries one server where no connection is free; once a server has failed, the next is tried. What is written has been
/// stored by as many servers as the bucket has replicas.
///
/// libnats has calls for key-value stores, but each waits for its key. The requests to JetStream are therefore made here, many
/// writes at a time.
package final class KeyValueBucket: Sendable {
    /// What is stored under a key.
    package struct Entry: Sendable, Equatable {
        /// The key.
        package var key: String
        /// The number of the write; it rises in the whole bucket.
        package var revision: UInt64
        /// The header fields.
        package var fields: [String: String]
        /// The value; empty where it was removed.
        package var value: [UInt8]
    }

    /// A write, which takes place only if nobody else has written since.
    package struct Write: Sendable {
        /// The key, of letters, digits, `-`, `_`, `=`, `/` and `.`.
        package var key: String
        /// The header fields.
        package var fields: [(name: String, value: String)]
        /// The value.
        package var value: [UInt8]
        /// The revision that the key has; 0 where there is none.
        package var revision: UInt64

        /// A write of `value` over the revision `revision`.
        package init(key: String, fields: [(name: String, value: String)] = [], value: [UInt8], over revision: UInt64) {
            (self.key, self.fields, self.value, self.revision) = (key, fields, value, revision)
        }
    }

    /// How a write ended.
    package enum Outcome: Sendable, Equatable {
        /// It is stored, with this revision.
        case stored(UInt64)
        /// The key has another revision.
        case conflict
    }

    /// The name.
    package let name: String
    private let settings: NatsSettings
    private let replicas: Int
    private let contents = Mutex(Contents())
    private let interruption = Interruption()

    private struct Contents {
        /// Connections that no call uses, and the places of their servers.
        var idle: [(connection: NatsConnection, server: Int)] = []
        /// The place of the server that is used.
        var server = 0
    }

    private static let revisionField = "Nats-Expected-Last-Subject-Sequence"
    /// The most writes that are under way at a time.
    private static let window = 128

    /// The bucket `name`, which is made with so many `replicas` where it does not exist.
    package init(_ name: String, replicas: Int, _ settings: NatsSettings) {
        self.name = name
        self.settings = settings
        self.replicas = replicas
    }

    /// Has the calls that wait for a server end with an error, and those that are made later.
    package func interrupt() { interruption.set() }

    deinit { contents.withLock { $0.idle.forEach { $0.connection.close() } } }

    private var stream: String { "KV_\(name)" }
    private func subject(of key: String) -> String { "$KV.\(name).\(key)" }

    // MARK: Requests

    /// Makes the bucket where it does not exist. Throws where its stream is none of a bucket, or keeps more than the last value of a key.
    package func make() throws {
        do {
            _ = try request(
                "STREAM.CREATE.\(stream)", StreamSettings(name: stream, subject: subject(of: ">"), replicas: replicas))
        } catch let error as RefusedRequest where error.code == RefusedRequest.nameInUse {
            let present = try request("STREAM.INFO.\(stream)", NoDetails())
            let config = try Self.decode(StreamAnswer.self, from: present).config
            guard config.max_msgs_per_subject == 1, config.subjects == [subject(of: ">")] else {
                throw NatsError("the stream \(stream) is no key-value bucket with one value for each key")
            }
            if let problem = Self.problem(of: config) {
                throw NatsError(
                    "the bucket \(name) \(problem): remove it with 'nats kv del \(name)', and the gateway makes it anew from its "
                        + "directory")
            }
        }
    }

    /// Why values in a stream with these settings may be lost; nil where they stay.
    private static func problem(of config: StreamAnswer.Settings) -> String? {
        if let age = config.max_age, age != 0 { return "deletes values after \(Double(age) / 1e9) s (max_age)" }
        if let storage = config.storage, storage != "file" {
            return "keeps values in \(storage), where a restart of the server loses them"
        }
        if let retention = config.retention, retention != "limits" {
            return "has the retention '\(retention)', which deletes values"
        }
        return nil
    }

    /// Everything in the bucket that was written up to now. Throws where it is more than the settings permit.
    package func entries() throws -> [String: Entry] {
        let prefix = subject(of: "")
        var (entries, count): ([String: Entry], UInt64) = ([:], 0)
        var left = settings.maximumMegabytes * 1_000_000
        let end = ContinuousClock.now + .seconds(settings.maximumMegabytes)
        try connected {
            try $0.stream { subject in
                let consumer = ConsumerSettings(stream: stream, deliverSubject: subject, filterSubject: prefix + ">")
                return Self.request("CONSUMER.CREATE.\(stream)", consumer)
            } brings: { answer in
                try Self.decode(ConsumerAnswer.self, from: Self.accepted(answer)).num_pending > 0
            } to: { message in
                guard let place = DeliveryPlace(message.reply), message.subject.hasPrefix(prefix) else {
                    throw NatsError("a message of the stream \(stream) has no place in it")
                }
                count += 1
                guard place.delivery == count else {
                    throw NatsError("a message of the stream \(stream) was lost on the way")
                }
                left -= message.storedBytes
                guard left >= 0, ContinuousClock.now < end else {
                    throw NatsError(
                        "the bucket \(name) holds more than \(settings.maximumMegabytes) MB, or is not read in as many seconds "
                            + "(keyValue.maximumMegabytes)")
                }
                let key = String(message.subject.dropFirst(prefix.count))
                entries[key] = Entry(
                    key: key, revision: try Self.revision(place.sequence), fields: message.fields,
                    value: message.fields["KV-Operation"] == nil ? message.payload : [])
                return place.pending == 0
            }
        }
        return entries
    }

    /// What is stored under a key; nil for nothing.
    package func entry(_ key: String, whileWaiting: () -> Void = {}) throws -> Entry? {
        do {
            let answer = try request(
                "STREAM.MSG.GET.\(stream)", MessageRequest(last_by_subj: subject(of: key)), whileWaiting: whileWaiting)
            let message = try Self.decode(MessageAnswer.self, from: answer).message
            return Entry(
                key: key, revision: try Self.revision(message.seq), fields: message.fields,
                value: Array(message.data.flatMap { Data(base64Encoded: $0) } ?? Data()))
        } catch let error as RefusedRequest where error.code == RefusedRequest.noMessage {
            return nil
        }
    }

    /// Carries out writes, each for itself; returns their outcomes in their order. `whileWaiting` is called several times a second. Throws
    /// where it is not known how one of them ended.
    package func write(_ writes: [Write], whileWaiting: () -> Void = {}) throws -> [Outcome] {
        var outcomes: [Outcome] = []
        while outcomes.count < writes.count {
            let part = writes[outcomes.count..<min(outcomes.count + Self.window, writes.count)]
            outcomes += try connected {
                try $0.answers(to: requests(part, over: $0), whileWaiting: whileWaiting).map(Self.outcome)
            }
        }
        return outcomes
    }

    private func requests(
        _ writes: ArraySlice<Write>, over connection: NatsConnection
    ) throws(TooLarge) -> [NatsConnection.Request] {
        try writes.map { write throws(TooLarge) in
            let size = write.value.count + write.fields.reduce(64) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            guard size <= connection.maximumPayload else {
                throw TooLarge(
                    description: "\(write.key) has \(write.value.count) bytes; the server takes \(connection.maximumPayload) "
                        + "(max_payload)")
            }
            return NatsConnection.Request(
                subject: subject(of: write.key), fields: write.fields + [(Self.revisionField, "\(write.revision)")],
                payload: write.value)
        }
    }

    /// Removes a key with everything that is stored under it, unless it was written after `revision`.
    package func remove(_ key: String, upTo revision: UInt64, whileWaiting: () -> Void = {}) throws {
        _ = try request(
            "STREAM.PURGE.\(stream)", PurgeRequest(filter: subject(of: key), seq: try Self.revision(revision) + 1),
            whileWaiting: whileWaiting)
    }

    // MARK: Connection

    /// Runs `body` with a connection. One over which a request was not answered, or nobody could answer it, is left, and its server with it.
    private func connected<Value>(_ body: (NatsConnection) throws -> Value) throws -> Value {
        let (idle, present) = contents.withLock { contents in
            contents.idle.removeAll { !$0.connection.isOpen }
            return (contents.idle.popLast(), contents.server)
        }
        let server = idle?.server ?? present
        do {
            let connection =
                try idle?.connection ?? NatsConnection(settings, to: settings.servers[server], interruption: interruption)
            let outcome = Result { try body(connection) }
            if case .failure(let error) = outcome, error is NatsError {
                connection.close()
            } else {
                contents.withLock { $0.idle.append((connection, server)) }
            }
            return try outcome.get()
        } catch let error as NatsError {
            leave(server)
            throw error
        }
    }

    private func leave(_ server: Int) {
        let left = contents.withLock { contents in
            if contents.server == server { contents.server = (server + 1) % settings.servers.count }
            defer { contents.idle.removeAll { $0.server == server } }
            return contents.idle.filter { $0.server == server }
        }
        for (connection, _) in left { connection.close() }
    }

    private func request(_ name: String, _ body: some Encodable, whileWaiting: () -> Void = {}) throws -> Data {
        try connected { try Self.accepted($0.answers(to: [Self.request(name, body)], whileWaiting: whileWaiting)[0]) }
    }

    private static func request(_ name: String, _ body: some Encodable) -> NatsConnection.Request {
        // Texts and numbers can always be encoded.
        let payload = (try? JSONEncoder().encode(body)) ?? Data()
        return .init(subject: "$JS.API.\(name)", payload: Array(payload))
    }

    /// Reads an answer. Throws `NatsError` where it is not what a server sends.
    private static func decode<Answer: Decodable>(_ type: Answer.Type, from content: Data) throws(NatsError) -> Answer {
        do { return try JSONDecoder().decode(type, from: content) } catch {
            throw NatsError("an answer of JetStream cannot be read: \(error)")
        }
    }

    /// The revisions that writes can have: one more is a number too.
    private static let revisions: ClosedRange<UInt64> = 1...(1 << 62)

    /// A revision that a server has named. Throws where there can be none of that number.
    private static func revision(_ number: UInt64) throws(NatsError) -> UInt64 {
        guard revisions.contains(number) else { throw NatsError("JetStream names the revision \(number), which no write has") }
        return number
    }

    /// The content of an answer. Throws `RefusedRequest`, or `NatsError` where nobody has answered.
    private static func accepted(_ answer: NatsMessage) throws -> Data {
        let content = Data(answer.payload)
        if let error = try? JSONDecoder().decode(Refusal.self, from: content).error {
            if error.code == RefusedRequest.unavailable { throw NatsError(RefusedRequest(error).description) }
            throw RefusedRequest(error)
        }
        return content
    }

    private static func outcome(_ answer: NatsMessage) throws -> Outcome {
        do {
            return .stored(try revision(decode(Acknowledgement.self, from: accepted(answer)).seq))
        } catch let error as RefusedRequest where error.code.map(RefusedRequest.wrongRevision.contains) ?? false {
            return .conflict
        }
    }
}

/// A value that the server does not take; the connection goes on.
private struct TooLarge: Error, CustomStringConvertible {
    let description: String
}
