import Dispatch
import Foundation
import LocalBroker
import Synchronization

/// What a NATS server with JetStream does for one bucket, on a port of 127.0.0.1, as a script wants it.
package final class ScriptedNats: Sendable {
    /// What it does beside what a server does.
    package enum Fault: Sendable, Equatable {
        /// It refuses everybody.
        case refusesLogin
        /// It does not answer requests.
        case isSilent
        /// It carries out no request whose subject contains this, and does not answer it.
        case isSilentAbout(String)
        /// It refuses every request whose subject contains this.
        case refuses(String)
        /// It has no leader: nobody answers requests.
        case hasNoLeader
        /// It loses the second message of what it delivers.
        case losesDelivery
        /// It carries out the next request, and closes the connection in place of answering.
        case losesNextAnswer
        /// It begins with this in place of its first line.
        case begins(with: String)
        /// It answers every request whose subject contains this with these contents.
        case answers(String, with: String)
        /// It sends this in place of answering requests whose subject contains the first text; `{reply}` stands for the subject of the answer and
        /// `{number}` for the number of its subscription.
        case sends(String, String)
        /// It sends the second text again and again, as long as anybody reads, in place of answering those requests.
        case sendsForever(String, String)
        /// It delivers values under new keys without end.
        case deliversForever
        /// It delivers each value with this as the place in its stream, `sequence.delivery.time.pending`.
        case deliversAt(String)
        /// It delivers heartbeats without end.
        case beatsForever
    }

    /// A message that is stored.
    package struct Stored: Sendable, Equatable {
        /// Its number in the stream.
        package var sequence: UInt64
        /// Its header as it was sent, empty for none.
        package var header: [UInt8]
        /// Its content.
        package var payload: [UInt8]
    }

    /// The port for clients.
    package let port: UInt16
    private let listener: Int32
    private let core = Core()

    /// Starts to listen.
    package init() throws {
        listener = try LoopbackPort.listen(backlog: 16)
        port = try LoopbackPort.port(of: listener)
        Thread.detachNewThread { [listener, core] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                core.add(connection)
                Thread.detachNewThread { core.serve(connection) }
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        closeConnections()
    }

    /// What it does wrong from now on.
    package var fault: Fault? {
        get { core.fault }
        set { core.fault = newValue }
    }

    /// How many bytes it has sent of what it sends without end.
    package var floodBytes: Int { core.floodBytes }

    /// What is stored, by subject.
    package var messages: [String: Stored] { core.messages }

    /// Stores a message as another client would; `header` has lines that end with CR LF.
    package func store(_ subject: String, header: String = "", _ payload: [UInt8]) {
        core.store(subject, Array("NATS/1.0\r\n\(header)\r\n".utf8), payload)
    }

    /// Removes a message.
    package func remove(_ subject: String) { core.remove(subject) }

    /// Ends all connections.
    package func closeConnections() { core.closeConnections() }

    fileprivate static func message(
        _ subject: String, for subscription: String, from reply: String? = nil, header: [UInt8] = [], _ payload: [UInt8]
    ) -> [UInt8] {
        let target = "\(subject) \(subscription)" + (reply.map { " \($0)" } ?? "")
        let line =
            header.isEmpty
            ? "MSG \(target) \(payload.count)\r\n" : "HMSG \(target) \(header.count) \(header.count + payload.count)\r\n"
        return Array(line.utf8) + header + payload + Array("\r\n".utf8)
    }
}

/// The connections and what is stored.
private final class Core: Sendable {
    struct Contents {
        var messages: [String: ScriptedNats.Stored] = [:]
        var sequence: UInt64 = 0
        var fault: ScriptedNats.Fault?
        var connections: [Int32] = []
        var floodBytes = 0
    }

    private let contents = Mutex(Contents())

    var fault: ScriptedNats.Fault? {
        get { contents.withLock { $0.fault } }
        set { contents.withLock { $0.fault = newValue } }
    }

    var messages: [String: ScriptedNats.Stored] { contents.withLock { $0.messages } }
    var floodBytes: Int { contents.withLock { $0.floodBytes } }

    func store(_ subject: String, _ header: [UInt8], _ payload: [UInt8]) {
        contents.withLock { $0.store(subject, header, payload) }
    }

    func remove(_ subject: String) { contents.withLock { $0.messages[subject] = nil } }

    func add(_ connection: Int32) { contents.withLock { $0.connections.append(connection) } }

    func closeConnections() {
        contents.withLock { contents in for connection in contents.connections { shutdown(connection, CInt(SHUT_RDWR)) } }
    }

    private func end(_ connection: Int32) {
        contents.withLock { $0.connections.removeAll { $0 == connection } }
        close(connection)
    }

    // MARK: A connection

    func serve(_ connection: Int32) {
        defer { end(connection) }
        let reader = LineReader(connection)
        var subscriptions: [String: String] = [:]
        if case .begins(let text) = fault {
            Self.send(text, connection)
        } else {
            Self.send("INFO {\"max_payload\":1048576,\"headers\":true,\"proto\":1}\r\n", connection)
        }
        while let line = reader.line() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "CONNECT" where fault == .refusesLogin:
                Self.send("-ERR 'Authorization Violation'\r\n", connection)
                return
            case "PING": Self.send("PONG\r\n", connection)
            // A subject, or one with `*` for its last level; then its number.
            case "SUB": subscriptions[words[1]] = words[words.count - 1]
            case "UNSUB": subscriptions = subscriptions.filter { $0.value != words[1] }
            case "PUB", "HPUB":
                let hasHeader = words[0] == "HPUB"
                guard let size = Int(words[words.count - 1]), let content = reader.bytes(size + 2) else { return }
                let headerSize = hasHeader ? Int(words[words.count - 2]) ?? 0 : 0
                let reply = words.count == (hasHeader ? 5 : 4) ? words[2] : nil
                let request = Request(
                    subject: words[1], reply: reply, header: Array(content[..<headerSize]),
                    payload: Array(content[headerSize..<size]))
                guard answer(request, connection, subscriptions) else { return }
            default: break
            }
        }
    }

    struct Request {
        var subject: String
        var reply: String?
        var header: [UInt8]
        var payload: [UInt8]

        /// A number of the header.
        func number(_ field: String) -> UInt64? {
            let text = String(decoding: header, as: UTF8.self)
            guard let range = text.range(of: "\(field): ") else { return nil }
            return UInt64(text[range.upperBound...].prefix { $0.isNumber })
        }

        /// A text of the content.
        func text(_ key: String) -> String? {
            func find(_ value: Any) -> String? {
                guard let object = value as? [String: Any] else { return nil }
                return object[key] as? String ?? object.values.lazy.compactMap(find).first
            }
            return (try? JSONSerialization.jsonObject(with: Data(payload))).flatMap(find)
        }
    }

    /// Returns whether the connection goes on.
    private func answer(_ request: Request, _ connection: Int32, _ subscriptions: [String: String]) -> Bool {
        guard let reply = request.reply else { return true }
        let all = reply.split(separator: ".").dropLast().joined(separator: ".") + ".*"
        guard let number = subscriptions[reply] ?? subscriptions[all] else { return true }
        switch fault {
        case .isSilent: return true
        case .isSilentAbout(let text) where request.subject.contains(text): return true
        case .refuses(let text) where request.subject.contains(text):
            Self.send(ScriptedNats.message(reply, for: number, Array(Contents.refusal(10_077).utf8)), connection)
            return true
        case .hasNoLeader:
            Self.send(ScriptedNats.message(reply, for: number, header: Array("NATS/1.0 503\r\n\r\n".utf8), []), connection)
            return true
        case .losesNextAnswer:
            fault = nil
            _ = contents.withLock { $0.answer(request, subscriptions) }
            shutdown(connection, CInt(SHUT_RDWR))
            return false
        case .answers(let text, let content) where request.subject.contains(text):
            Self.send(ScriptedNats.message(reply, for: number, Array(content.utf8)), connection)
            return true
        case .sends(let text, let bytes) where request.subject.contains(text):
            Self.send(bytes.replacing("{reply}", with: reply).replacing("{number}", with: number), connection)
            return true
        case .sendsForever(let text, let bytes) where request.subject.contains(text):
            let block = String(repeating: bytes, count: max(1, 16_384 / bytes.utf8.count))
            flood(connection) { _ in Array(block.replacing("{reply}", with: reply).replacing("{number}", with: number).utf8) }
            return false
        case .deliversForever where request.subject.contains("CONSUMER.CREATE"),
            .beatsForever where request.subject.contains("CONSUMER.CREATE"):
            let delivery = request.text("deliver_subject").flatMap { subscriptions[$0] } ?? ""
            let beat = ScriptedNats.message(
                "beat", for: delivery, header: Array("NATS/1.0 100 Idle Heartbeat\r\n\r\n".utf8), [])
            let (beats, value) = (fault == .beatsForever, [UInt8](repeating: 7, count: 8_192))
            Self.send(ScriptedNats.message(reply, for: number, Array("{\"num_pending\":1}".utf8)), connection)
            flood(connection) { index in
                guard !beats else { return beat }
                return ScriptedNats.message(
                    "$KV.b.safety.d\(index)", for: delivery, from: "$JS.ACK.s.c.1.\(index + 1).\(index + 1).1.1",
                    header: Array("NATS/1.0\r\n\r\n".utf8), value)
            }
            return false
        case .isSilentAbout, .refuses, .refusesLogin, .losesDelivery, .begins, .answers, .sends, .sendsForever, .deliversForever,
            .deliversAt, .beatsForever, nil:
            break
        }
        var (content, deliveries) = contents.withLock { $0.answer(request, subscriptions) }
        if case .deliversAt(let place) = fault, let delivery = request.text("deliver_subject").flatMap({ subscriptions[$0] }) {
            deliveries = [ScriptedNats.message("$KV.b.a", for: delivery, from: "$JS.ACK.s.c.1.\(place)", [1])]
            content = "{\"num_pending\":1}"
        }
        Self.send(ScriptedNats.message(reply, for: number, Array(content.utf8)), connection)
        for (index, delivery) in deliveries.enumerated() where index != 1 || fault != .losesDelivery {
            Self.send(delivery, connection)
        }
        return true
    }

    private static func send(_ text: String, _ connection: Int32) { send(Array(text.utf8), connection) }

    /// Sends what `next` gives, until nobody reads any more.
    private func flood(_ connection: Int32, _ next: (Int) -> [UInt8]) {
        var index = 0
        while true {
            let bytes = next(index)
            guard Self.send(bytes, connection) else { return }
            contents.withLock { $0.floodBytes += bytes.count }
            index += 1
        }
    }

    /// Returns whether all of it was sent.
    @discardableResult
    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

extension Core.Contents {
    fileprivate mutating func store(_ subject: String, _ header: [UInt8], _ payload: [UInt8]) {
        sequence += 1
        messages[subject] = .init(sequence: sequence, header: header, payload: payload)
    }

    /// Carries out a request; returns what it is answered with, and what is sent then.
    fileprivate mutating func answer(_ request: Core.Request, _ subscriptions: [String: String]) -> (String, [[UInt8]]) {
        let levels = request.subject.split(separator: ".")
        switch levels.dropFirst(2).prefix(levels.contains("MSG") ? 3 : 2).joined(separator: ".") {
        case _ where levels[0] == "$KV":
            if let expected = request.number("Nats-Expected-Last-Subject-Sequence"),
                expected != messages[request.subject]?.sequence ?? 0
            {
                return (Self.refusal(10_071), [])
            }
            store(request.subject, request.header, request.payload)
            return ("{\"stream\":\"\",\"seq\":\(sequence)}", [])
        case "STREAM.MSG.GET":
            guard let stored = request.text("last_by_subj").flatMap({ messages[$0] }) else { return (Self.refusal(10_037), []) }
            let (header, data) = (Data(stored.header).base64EncodedString(), Data(stored.payload).base64EncodedString())
            return ("{\"message\":{\"seq\":\(stored.sequence),\"hdrs\":\"\(header)\",\"data\":\"\(data)\"}}", [])
        case "STREAM.PURGE":
            let object = (try? JSONSerialization.jsonObject(with: Data(request.payload))) as? [String: Any]
            if let filter = object?["filter"] as? String, let limit = object?["seq"] as? Int,
                let stored = messages[filter], stored.sequence < limit
            {
                messages[filter] = nil
            }
            return ("{\"success\":true}", [])
        case "CONSUMER.CREATE":
            let subscription = request.text("deliver_subject").flatMap { subscriptions[$0] } ?? ""
            let all = messages.sorted { $0.value.sequence < $1.value.sequence }
            let deliveries = all.enumerated().map { index, message in
                var header = message.value.header
                if header.isEmpty { header = Array("NATS/1.0\r\n\r\n".utf8) }
                // Messages of a consumer come on the subject of the subscription, under their own.
                return ScriptedNats.message(
                    message.key, for: subscription,
                    from: "$JS.ACK.s.c.1.\(message.value.sequence).\(index + 1).1.\(all.count - index - 1)",
                    header: header, message.value.payload)
            }
            return ("{\"num_pending\":\(all.count)}", deliveries)
        default: return ("{}", [])
        }
    }

    fileprivate static func refusal(_ code: Int) -> String {
        "{\"error\":{\"code\":400,\"err_code\":\(code),\"description\":\"refused\"}}"
    }
}

/// Lines and bytes of a connection.
private final class LineReader {
    private let connection: Int32
    private var buffer: [UInt8] = []

    init(_ connection: Int32) { self.connection = connection }

    /// The next line without its end; nil at the end of the connection.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            guard fill() else { return nil }
        }
    }

    /// The next `count` bytes; nil where the connection ends before.
    func bytes(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func fill() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        buffer += bytes[..<count]
        return true
    }
}
