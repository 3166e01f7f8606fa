import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import Yams

/// The generated part of `asyncapi.yaml`: channels, operations and messages, one of each for every schema.
struct AsyncAPI {
    let schemas: SchemaNodes

    /// The line after which the document is generated.
    static let mark = "# What follows is written by `make contract`.\n"

    private struct Channel {
        var name: String
        /// The schemas of its messages: one, but for replies.
        var messages: [Message]

        var first: Message { messages[0] }

        /// The names in braces; a reply has the address that the request names.
        var parameters: [String] {
            first.isReply ? [] : first.topic.matches(of: /\{(\w+)\}/).map { String($0.1) }
        }
    }

    private struct Message {
        var path: String
        var schema: Node

        /// Its name in the document: the path in camel case.
        var name: String {
            let words = path.dropLast(".json".count).split { $0 == "/" || $0 == "-" }
            return (words.first.map(String.init) ?? "") + words.dropFirst().map(\.capitalized).joined()
        }

        var topic: String { mqtt("topic") ?? "" }
        var isReply: Bool { path.hasPrefix("reply/") }
        var isQuery: Bool { path.hasPrefix("query/") }
        var isReceived: Bool { path.hasPrefix("in/") || isQuery || mqtt("received") == "true" }
        var contentType: String { mqtt("contentType") ?? "application/json" }
        var expiry: String { mqtt("expires") == "true" ? ", messageExpiryInterval: { type: integer, minimum: 1 }" : "" }

        func mqtt(_ key: String) -> String? { schema["x-mqtt"]?[key]?.string }
    }

    /// The document with its generated part as it has to be.
    func updated(_ document: String) -> String {
        let head = document.firstRange(of: Self.mark).map { String(document[..<$0.upperBound]) } ?? document + Self.mark
        let messages = schemas.messages.map { Message(path: $0.path, schema: $0.node) }
        let channels =
            messages.filter { !$0.isReply }.map { Channel(name: $0.name, messages: [$0]) }
            + [Channel(name: "reply", messages: messages.filter(\.isReply))]
        let operations = channels.filter { !$0.first.isReply }.map { operation($0, replies: messages.filter(\.isReply)) }
        return head
            + (["channels:"] + channels.map(channel) + ["operations:"] + operations
            + ["components:", parameters(channels), "  messages:"] + messages.map(message)).joined(separator: "\n") + "\n"
    }

    private func channel(_ channel: Channel) -> String {
        let parameters = channel.parameters.map { "      \($0): { $ref: '#/components/parameters/\($0)' }" }
        let address =
            channel.first.isReply
            ? ["    address: null", "    description: 'The response topic of the request: \(channel.first.topic).'"]
            : ["    address: '\(channel.first.topic)'", "    parameters:"]
        let messages = channel.messages.map { message in
            "      \(channel.first.isReply ? message.name : "message"): { $ref: '#/components/messages/\(message.name)' }"
        }
        return (["  \(channel.name):"] + address + parameters + ["    messages:"] + messages).joined(separator: "\n")
    }

    private func operation(_ channel: Channel, replies: [Message]) -> String {
        let message = channel.first
        let name = (message.isReceived ? "receive" : "send") + channel.name.prefix(1).uppercased() + channel.name.dropFirst()
        let paths = ["reply/error.json", message.path.replacing("query/", with: "reply/")]
        let own = replies.filter { paths.contains($0.path) }
        let reply = """

                reply:
                  address: { location: '$message.header#/responseTopic' }
                  channel: { $ref: '#/channels/reply' }
                  messages: [\(own.map { "{ $ref: '#/channels/reply/messages/\($0.name)' }" }.joined(separator: ", "))]
            """
        return """
              \(name):
                action: \(message.isReceived ? "receive" : "send")
                channel: { $ref: '#/channels/\(channel.name)' }
                messages: [{ $ref: '#/channels/\(channel.name)/messages/message' }]
                bindings: { mqtt: { qos: \(message.mqtt("qos") ?? "1"), retain: \(message.mqtt("retain") ?? "false")\(message.expiry), \
            bindingVersion: 0.2.0 } }\(message.isQuery ? reply : "")
            """
    }

    private func message(_ message: Message) -> String {
        let request = [
            "responseTopic: { type: string, maxLength: \(ReplyAddress.longestTopic) }",
            "correlationData: { type: string, maxLength: \(ReplyAddress.longestCorrelation) }",
        ]
        let properties =
            (message.isReceived ? [] : ["payloadFormatIndicator: 1"]) + (message.isQuery ? request : [])
            + ["contentType: \(message.contentType)", "bindingVersion: 0.2.0"]
        let correlation =
            message.isQuery || message.isReply ? "\n      correlationId: { location: '$message.header#/correlationData' }" : ""
        return """
                \(message.name):
                  name: \(message.path.dropLast(".json".count))
                  summary: '\((message.schema["description"]?.string ?? "").replacing("'", with: "''"))'
                  contentType: \(message.contentType)\(correlation)
                  payload:
                    schemaFormat: application/schema+json;version=draft-2020-12
                    schema: { $ref: './schemas/\(message.path)' }
                  bindings: { mqtt: { \(properties.joined(separator: ", ")) } }
            """
    }

    private static let meanings = [
        "root": "The first levels of the topics: `gateway.root`, by default wearables.", "device": "The id of the device.",
        "gateway": "The name of the gateway: `gateway.name`.", "stream": "The name of a stream.",
        "subject": "What is connected.", "lane": "The name of a lane.",
        "prefix": "The first levels of discovery topics: `homeassistant.prefix`, by default homeassistant.",
    ]
    private static let lists = ["stream": "streamName", "subject": "connectionSubject", "lane": "laneName"]

    private func parameters(_ channels: [Channel]) -> String {
        let names = Set(channels.flatMap(\.parameters)).sorted()
        return
            (["  parameters:"]
            + names.map { name in
                let values = Self.lists[name].flatMap(schemas.definition)?["oneOf"]?.elements.compactMap { $0["const"]?.string }
                let list = values.map { ", enum: [\($0.joined(separator: ", "))]" } ?? ""
                return "    \(name): { description: '\(Self.meanings[name] ?? name)'\(list) }"
            }).joined(separator: "\n")
    }
}
