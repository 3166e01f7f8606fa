import ArgumentParser
import Foundation
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Logging
import Mosquitto
import TelemetryModel

/// `fathom request`: one request, and its reply.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Ask the gateway about a device, and print its reply.",
        discussion: """
            Publishes a request (docs/requests.md) with the account requests.asker of the configuration, or that of --username, and prints \
            each part of the reply as a line of JSON. Exit status 1 when the reply is an error, or there is none.

            fathom request ultra-1 latest
            fathom request ultra-1 latest '{"kinds": ["depth-state"]}'
            fathom request ultra-1 events '{"from": 1763700000, "to": 1763786400}'
            """)

    @Argument(help: "The device.")
    var device: String

    @Argument(help: ArgumentHelp("What is asked: \(Query.names.joined(separator: ", ")).", valueName: "query"))
    var query: String

    @Argument(help: ArgumentHelp("The request, a JSON object; {} if not given.", valueName: "json"))
    var body = "{}"

    @Option(help: ArgumentHelp("How long to wait for the reply, and for each of its parts.", valueName: "seconds"))
    var timeout = 10.0

    @OptionGroup var account: AccountOptions

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard DeviceID(device) != nil else {
            throw ValidationError("\(device.debugDescription) is no device id: 1 to 64 of A-Z, a-z, 0-9, '_' and '-'")
        }
        guard Query.names.contains(query) else {
            throw ValidationError("\(query.debugDescription) is no query, expected one of \(Query.names.joined(separator: ", "))")
        }
        guard let members = try? JSONDecoder().decode([String: MessageValue].self, from: Data(body.utf8)) else {
            throw ValidationError("\(body.debugDescription) is no JSON object, such as '{\"kinds\": [\"depth-state\"]}'")
        }
        for name in ["reply", "correlation"] where members[name] != nil {
            throw ValidationError("\"\(name)\" is set by this command")
        }
        guard (0.1...3_600).contains(timeout) else { throw ValidationError("--timeout must be 0.1 to 3600") }
    }

    func run() async throws {
        let configuration = try options.loadOrExit(connects: false).configuration
        try account.requireOwn(
            .asker, beside: .requests, in: configuration, with: "that may publish requests ('analyst' in config/acl)")
        var connection = try account.applied(
            to: .beside(configuration, as: .asker), as: .asker, in: configuration)
        let user = connection.username ?? "request"
        guard Identifier(user) != nil else {
            throw GatewayError("the account \(user.debugDescription) cannot ask: a name of 1 to 64 of A-Z a-z 0-9 _ - is needed")
        }
        let reply = "\(user)/\(UInt64.random(in: .min ... .max))"
        let replyTopic = "fathom/\(configuration.gateway.name)/reply/\(reply)"
        connection.subscriptions = [
            .init(
                replyTopic,
                adviceIfRefused: "the account \(user) needs \"topic read fathom/+/reply/\(user)/#\" in the broker's ACL")
        ]
        let named = connection.username.map { "/\($0)" } ?? ""
        let topic = "\(prefix(configuration))/\(device)/query/\(query)\(named)"
        let request = Exchange(
            client: MosquittoClient(configuration: connection, logger: GatewayLogger.make(level: .error)), replyTopic: replyTopic,
            timeoutSeconds: timeout)
        var message = MQTTMessage(topic: topic, payload: payload(replyingTo: reply), contentType: "application/json")
        message.responseTopic = replyTopic
        message.isExpendable = true
        do throws(GatewayError) {
            try await request.run(message) { part in
                Terminal.output(part.printableJSON + [UInt8(ascii: "\n")])
            }
        } catch {
            throw Terminal.failure("\(error)")
        }
    }

    /// The levels before the device in the topics of requests.
    private func prefix(_ configuration: GatewayConfiguration) -> String {
        configuration.gateway.partition == nil ? configuration.gateway.prefixes[0] : configuration.gateway.root
    }

    /// The request with where its reply goes: MQTT 3.1.1 has no response topic.
    private func payload(replyingTo reply: String) -> [UInt8] {
        let members = body.drop { $0 != "{" }.dropFirst()
        let isEmpty = members.drop(while: \.isWhitespace).first == "}"
        return Array("{\"reply\":\"\(reply)\"\(isEmpty ? "" : ",")\(members)".utf8)
    }
}

/// A request and its reply, which may come in parts.
private struct Exchange {
    let client: MosquittoClient
    let replyTopic: String
    let timeoutSeconds: Double

    /// Publishes `message` and calls `onPart` with each part of the reply. Throws when it is an error, or none comes in time.
    func run(_ message: MQTTMessage, onPart: ([UInt8]) -> Void) async throws(GatewayError) {
        let (parts, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let clock = SystemGatewayClock()
        let connecting = Task { [client] in
            try await client.run {
                ImmediateHandler { messages in for message in messages { continuation.yield(message.payload) } }
            }
        }
        defer { connecting.cancel() }
        try await connect()
        let ticket = client.enqueue([message])
        do { try await Egress(client: client).settle(ticket, within: timeoutSeconds, clock: clock) } catch {
            throw GatewayError("\(message.topic): \(error)")
        }
        if let refusal = client.expendableRefusal(of: .normal) {
            throw GatewayError(
                "the broker refuses the request on \(message.topic): \(refusal); its ACL has to let the account publish there")
        }
        while true {
            guard let part = await next(of: parts, clock) else {
                throw GatewayError(
                    """
                    no reply within \(timeoutSeconds.shortest) s: on \(message.topic) no gateway listens. Does it run ('fathom health'), with \
                    requests.enabled and requests.account, and is gateway.name that of \(replyTopic)?
                    """)
            }
            onPart(part)
            let members = (try? JSONDecoder().decode([String: MessageValue].self, from: Data(part))) ?? [:]
            if let error = members["error"]?.text {
                let place = members["pointer"]?.text.map { "\($0): " } ?? ""
                throw GatewayError("\(error): \(place)\(members["detail"]?.text ?? "")")
            }
            guard members["last"] == .flag(false) else { break }
        }
        await client.stop()
    }

    private func connect() async throws(GatewayError) {
        for await state in client.stateChanges() {
            switch state {
            case .connecting: continue
            case .connected: return
            case .disconnected(let reason): throw GatewayError("the broker cannot be asked: \(reason)")
            case .stopped: throw GatewayError("the client stopped")
            }
        }
    }

    /// The next part; nil when none comes in time.
    private func next(of parts: AsyncStream<[UInt8]>, _ clock: SystemGatewayClock) async -> [UInt8]? {
        await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { await parts.first { _ in true } }
            group.addTask { [timeoutSeconds] in
                try? await clock.sleep(seconds: timeoutSeconds)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
