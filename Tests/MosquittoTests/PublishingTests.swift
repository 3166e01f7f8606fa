import BrokerTestSupport
import GatewayTestSupport
import LocalBroker
import Mosquitto
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PublishingTests {
    @Test("A ticket is settled by the receipt and not before")
    func settledAfterReceipt() async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port, version: .v311)) { client in
            let connection = try await broker.accept(answering: .accepted())
            let ticket = client.enqueue([MQTTMessage("out", "1")])
            let published = try await connection.expect(.publish)
            #expect(client.statistics.messagesAccepted == 0)
            // Behind the topic, as this is QoS 1.
            let identifier = Array(published.body[5...6])
            try await connection.send(Packet(.publishAcknowledgement, identifier))
            try await client.settled(ticket)
            #expect(client.statistics.messagesAccepted == 1)
        }
    }

    @Test("A message that may be lost is written at QoS 0; no ticket waits for it, and without a connection it is dropped")
    func droppable() async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port, version: .v311)) { client in
            let connection = try await broker.accept(answering: .accepted())
            client.client.enqueue([MQTTMessage("out", "0", qos: .atMostOnce)], priority: .droppable)
            let first = try await connection.expect(.publish)
            // The topic, then the payload: no packet identifier.
            #expect(first.body == [0, 3] + Array("out0".utf8))
            let ticket = client.enqueue([MQTTMessage("out", "1")])
            let published = try await connection.expect(.publish)
            try await connection.send(Packet(.publishAcknowledgement, Array(published.body[5...6])))
            try await client.settled(ticket)
            #expect(client.statistics.messagesAccepted == 1 && client.client.statistics.messagesWritten == 1)
            #expect(client.client.progress(of: ticket) == .accepted)
        }
    }

    @Test("5,000 messages are published and settled in order", arguments: versions)
    func manyInOrder(version: MosquittoConfiguration.ProtocolVersion) async throws {
        let broker = try await BrokerProcess()
        let count = 5_000
        try await withClient(.test(broker.port, "in", version: version, "out")) { subscriber in
            try await subscriber.connected()
            try await withClient(.test(broker.port, "out", version: version)) { publisher in
                let messages = numbered("out", 0..<count)
                let tickets = stride(from: 0, to: count, by: 500).map { publisher.enqueue(Array(messages[$0..<$0 + 500])) }
                #expect(tickets == tickets.sorted { $0[.normal] < $1[.normal] })
                async let received = subscriber.take(count)
                for ticket in tickets { try await publisher.settled(ticket) }
                #expect(publisher.statistics.outboxCount == 0)
                #expect(try await received == messages)
            }
        }
    }

    @Test("Every quality of service settles, and properties of MQTT 5 arrive")
    func qualities() async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port, "in", "out")) { subscriber in
            try await subscriber.connected()
            try await withClient(.test(broker.port, "out")) { publisher in
                var message = MQTTMessage("out", "typed")
                message.contentType = "application/json"
                message.messageExpirySeconds = 60
                try await publisher.publish([
                    MQTTMessage("out", "0", qos: .atMostOnce), MQTTMessage("out", "2", qos: .exactlyOnce), message,
                ])
                let received = try await subscriber.take(3)
                // QoS 2 takes a round trip more, so what follows may overtake it.
                #expect(received.map(\.text).sorted() == ["0", "2", "typed"])
                #expect(received.map(\.qos).sorted() == [.atMostOnce, .atLeastOnce, .atLeastOnce])
                #expect(received.contains(message))
            }
        }
    }

    @Test("Payload format and user properties are in the packet on MQTT 5, and left out on 3.1.1")
    func textProperties() async throws {
        var message = MQTTMessage("out", "1")
        message.isText = true
        message.userProperties = [.init(name: "id", value: "7a"), .init(name: "at", value: "3.5")]
        for version in [MosquittoConfiguration.ProtocolVersion.v5, .v311] {
            let broker = try ScriptedBroker()
            try await withClient(.test(broker.port, version: version)) { [message] client in
                // In version 5 a length of properties follows the reason.
                let connection = try await broker.accept(
                    answering: Packet(.connectAcknowledgement, version == .v5 ? [0, 0, 0] : [0, 0]))
                client.enqueue([message])
                let published = try await connection.expect(.publish)
                let user: [UInt8] = [0x26, 0, 2] + Array("id".utf8) + [0, 2] + Array("7a".utf8)
                let time: [UInt8] = [0x26, 0, 2] + Array("at".utf8) + [0, 3] + Array("3.5".utf8)
                let properties = version == .v5 ? [UInt8(2 + user.count + time.count), 0x01, 1] + user + time : []
                #expect(Array(published.body.dropFirst(7)) == properties + Array("1".utf8))
            }
        }
    }

    @Test("Response topic and correlation data arrive byte for byte where they are asked for, and are not read elsewhere")
    func requestProperties() async throws {
        for reads in [true, false] {
            // A broker for each: what one subscriber has not acknowledged, the next would be sent again.
            let broker = try await BrokerProcess()
            let subscriber = MosquittoConfiguration.test(broker.port, "in", "out").with { $0.readsRequestProperties = reads }
            try await withClient(subscriber) { subscriber in
                try await subscriber.connected()
                try await withClient(.test(broker.port, "out")) { publisher in
                    var request = MQTTMessage("out", "?")
                    request.responseTopic = "reply/1"
                    request.correlationData = [0, 255, 0x0A]
                    try await publisher.publish([request, MQTTMessage("out", "plain")])
                    let received = try await subscriber.take(2)
                    #expect(received.map(\.responseTopic) == [reads ? "reply/1" : nil, nil])
                    #expect(received.map(\.correlationData) == [reads ? [0, 255, 0x0A] : nil, nil])
                }
            }
        }
    }

    /// A broker that accepts `allowed` alone.
    private func brokerThatRefuses(in directory: TemporaryDirectory) async throws -> BrokerProcess {
        try directory.write("topic write allowed\n", to: "acl")
        return try await BrokerProcess(settings: ["allow_anonymous true", "acl_file %d/acl"], in: directory)
    }

    @Test("A message the broker refuses holds up its topic alone, until it is allowed")
    func refusedMessageWaits() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await brokerThatRefuses(in: directory)
        let log = CollectedLog()
        try await withClient(.test(broker.port), log: log) { client in
            let first = client.enqueue([MQTTMessage("allowed", "1")])
            let rest = client.enqueue([MQTTMessage("denied", "2"), MQTTMessage("allowed", "3"), MQTTMessage("denied", "4")])
            try await client.settled(first)
            try await eventually("the refusal is seen") { client.statistics.refusal?.code == 0x87 }
            try await eventually("the other topic goes on") { client.statistics.messagesAccepted == 2 }

            try directory.write("topic write allowed\ntopic write denied\n", to: "acl")
            broker.reload()
            try await client.settled(rest)
            #expect(client.statistics.refusal == nil && client.statistics.messagesAccepted == 4)
            #expect(log.lines.filter { $0.contains("the broker refuses a message") }.count == 1)
            #expect(!log.contains("\"2\""))
        }
    }

    @Test("What is refused is handed over, settles once it is kept, and is published again by an answer number")
    func kept() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await brokerThatRefuses(in: directory)
        try await withClient(.test(broker.port)) { test in
            let client = test.client
            client.keepRefused(after: 3, waking: WakeUp())
            let ticket = client.enqueue([MQTTMessage("denied", "1"), MQTTMessage("allowed", "2"), MQTTMessage("denied", "3")])
            try await eventually("the other topic goes on") { client.statistics.messagesAccepted == 1 }
            var taken: [RefusedMessage] = []
            try await eventually("both are handed over") {
                taken += client.takeRefused().messages
                return taken.count == 2
            }
            #expect(taken.map(\.message.text) == ["1", "3"])
            #expect(client.progress(of: ticket) == .waiting)
            client.kept(taken)
            try await client.settled(ticket)

            var again = taken[0].message
            again.answerNumber = 9
            client.enqueue([again], priority: .again)
            var answers: [RefusedMessages.Answer] = []
            try await eventually("it is refused again") {
                answers += client.takeRefused().answers
                return answers.map(\.error?.code) == [0x87]
            }
            try directory.write("topic write allowed\ntopic write denied\n", to: "acl")
            broker.reload()
            try await eventually("it is accepted") {
                if answers.last?.error != nil { client.enqueue([again], priority: .again) }
                answers += client.takeRefused().answers
                return answers.last.map { $0.number == 9 && $0.error == nil } ?? false
            }
        }
    }

    @Test("A packet above the broker's limit is refused before it is sent, by its whole size")
    func maximumPacketSize() async throws {
        let broker = try ScriptedBroker()
        try await withClient(.test(broker.port)) { test in
            let client = test.client
            client.keepRefused(after: 5, waking: WakeUp())
            // Maximum Packet Size, 64 bytes.
            let connection = try await broker.accept(answering: Packet(.connectAcknowledgement, [0, 0, 5, 0x27, 0, 0, 0, 64]))
            try await test.connected()
            #expect(client.statistics.terms?.maximumPacketBytes == 64)
            // 1 for the header, 1 for the length, 5 for the topic, 2 for the identifier, 1 for the properties.
            let fits = MQTTMessage("out", String(repeating: "x", count: 54))
            let large = MQTTMessage("out", String(repeating: "x", count: 55))
            #expect(fits.packetBytes == 64 && large.packetBytes == 65)
            client.enqueue([large, fits])
            let published = try await connection.expect(.publish)
            #expect(published.body.count == 62)
            let refused = client.takeRefused().messages
            #expect(refused.map(\.message) == [large])
            #expect(refused.first?.error.isTooLarge == true)
        }
    }

    @Test("A broker that closes the connection because of one message gets all others, and that one is handed over")
    func closing() async throws {
        let broker = try await BrokerProcess(settings: ["allow_anonymous true", "max_packet_size 300"])
        try await withClient(.test(broker.port, version: .v311)) { test in
            let client = test.client
            client.keepRefused(after: 5, waking: WakeUp())
            let large = MQTTMessage("large", String(repeating: "x", count: 1_000))
            let ticket = client.enqueue([MQTTMessage("a", "1"), large, MQTTMessage("b", "2")])
            var taken: [RefusedMessage] = []
            try await eventually("it is handed over") {
                taken += client.takeRefused().messages
                return taken.count == 1
            }
            #expect(taken.map(\.message) == [large] && taken.map(\.scope) == [.ofClosing])
            client.kept(taken)
            try await client.settled(ticket)
            #expect(client.statistics.messagesAccepted == 2)
        }
    }

    @Test("A topic that C would cut short is refused, not published")
    func nulInTopic() async throws {
        let broker = try await BrokerProcess()
        try await withClient(.test(broker.port)) { client in
            client.enqueue([MQTTMessage("a\0b", "x")])
            try await eventually("the refusal is seen") { client.statistics.refusal != nil }
            #expect(client.statistics.messagesAccepted == 0)
        }
    }

    @Test("Waiting for a ticket ends with its task, and with the client")
    func settledEnds() async throws {
        let port = try LoopbackPort.free()
        try await withClient(.test(port).with { $0.drainTimeoutSeconds = 0 }) { client in
            let ticket = client.enqueue([MQTTMessage("out", "1")])
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do { try await client.settled(ticket) } catch { return error is CancellationError }
                    return false
                }
                group.cancelAll()
                for await wasCancelled in group { #expect(wasCancelled) }
            }
            await client.stop()
            await #expect(throws: MosquittoError.self) { try await client.settled(ticket) }
        }
    }
}
