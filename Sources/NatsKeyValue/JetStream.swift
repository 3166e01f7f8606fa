import Foundation

/// The settings of the stream of a bucket, as NATS's own clients make it.
struct StreamSettings: Encodable {
    var name: String
    var subjects: [String]
    var num_replicas: Int
    var max_msgs_per_subject = 1
    var storage = "file"
    var discard = "new"
    var retention = "limits"
    var allow_rollup_hdrs = true
    var allow_direct = true
    var deny_delete = true

    init(name: String, subject: String, replicas: Int) { (self.name, subjects, num_replicas) = (name, [subject], replicas) }
}

/// What a request has that asks for everything.
struct NoDetails: Encodable {}

/// What STREAM.INFO answers.
struct StreamAnswer: Decodable {
    struct Settings: Decodable {
        var subjects: [String]?
        var max_msgs_per_subject: Int?
        /// In ns; 0 or none keeps messages for good.
        var max_age: Int?
        var storage: String?
        var retention: String?
    }

    var config: Settings
}

/// A consumer that delivers the last message of each subject once, as fast as they are taken.
struct ConsumerSettings: Encodable {
    struct Settings: Encodable {
        var deliver_subject: String
        var filter_subject: String
        var deliver_policy = "last_per_subject"
        var ack_policy = "none"
        var replay_policy = "instant"
        var flow_control = true
        /// In ns, as all times of JetStream.
        var idle_heartbeat = 1_000_000_000
        var inactive_threshold = 30_000_000_000
        var mem_storage = true
        var num_replicas = 1
    }

    var stream_name: String
    var config: Settings

    init(stream: String, deliverSubject: String, filterSubject: String) {
        stream_name = stream
        config = Settings(deliver_subject: deliverSubject, filter_subject: filterSubject)
    }
}

/// What CONSUMER.CREATE answers.
struct ConsumerAnswer: Decodable {
    /// How many messages it will deliver.
    var num_pending: Int
}

/// Asks for the last message of a subject.
struct MessageRequest: Encodable {
    var last_by_subj: String
}

/// What STREAM.MSG.GET answers.
struct MessageAnswer: Decodable {
    struct Message: Decodable {
        var seq: UInt64
        var data: String?
        var hdrs: String?

        /// The header fields: a line for each, behind one with the version of the protocol.
        var fields: [String: String] {
            guard let hdrs, let header = Data(base64Encoded: hdrs) else { return [:] }
            let lines = String(decoding: header, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst()
            let pairs = lines.compactMap { line in
                line.firstIndex(of: ":").map { (String(line[..<$0]), String(line[line.index(after: $0)...].trimmingPrefix(" "))) }
            }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    var message: Message
}

/// Removes the messages of a subject before `seq`.
struct PurgeRequest: Encodable {
    var filter: String
    var seq: UInt64
}

/// What a message that was stored is answered with.
struct Acknowledgement: Decodable {
    var seq: UInt64
}

/// What a request that was refused is answered with.
struct Refusal: Decodable {
    struct Reason: Decodable {
        var code: Int
        var err_code: Int?
        var description: String?
    }

    var error: Reason
}

/// JetStream has refused a request.
struct RefusedRequest: Error, CustomStringConvertible {
    /// There is no leader at present.
    static let unavailable = 503
    /// There is another stream of that name.
    static let nameInUse = 10_058
    /// There is no message of that subject.
    static let noMessage = 10_037
    /// The last message of that subject is another one; the second of servers in a cluster.
    static let wrongRevision = [10_071, 10_164]

    let code: Int?
    let description: String

    init(_ reason: Refusal.Reason) {
        code = reason.err_code
        let words = NatsError(reason.description ?? "refused").description
        description = "JetStream: \(words) (\(reason.err_code ?? reason.code))"
    }
}

/// The place of a message in its stream, which a consumer's messages name in their reply subject.
struct DeliveryPlace: Equatable {
    /// The number of the message in its stream.
    var sequence: UInt64
    /// The number of the delivery, from 1 on: where one is missing, it was lost on the way.
    var delivery: UInt64
    /// How many messages are still to be delivered.
    var pending: UInt64

    /// Reads `$JS.ACK.stream.consumer.delivered.sequence.place.time.pending`, or the longer form with domain and account before the stream.
    init?(_ reply: String?) {
        let levels = (reply ?? "").split(separator: ".")
        let first = levels.count == 9 ? 2 : levels.count >= 11 ? 4 : nil
        guard levels.starts(with: ["$JS", "ACK"]), let first, let sequence = UInt64(levels[first + 3]),
            let delivery = UInt64(levels[first + 4]), let pending = UInt64(levels[first + 6])
        else { return nil }
        (self.sequence, self.delivery, self.pending) = (sequence, delivery, pending)
    }
}
