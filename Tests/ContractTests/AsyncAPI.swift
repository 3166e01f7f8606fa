import Foundation
import GatewayTestSupport
import Yams

/// The generated part of `asyncapi.yaml`: channels, operations and messages, one of each for every schema.
struct AsyncAPI {
    let schemas: SchemaNodes

    /// The line after which the document is generated.
    static let mark = "# What follows is written by `make contract`.\n"

    private struct Channel {
        var name: String
        var path: String
        var schema: Node

        var topic: String { schema["x-mqtt"]?["topic"]?.string ?? "" }
        var isReceived: Bool { path.hasPrefix("in/") }
        var retains: String { schema["x-mqtt"]?["retain"]?.string ?? "false" }
        var expires: Bool { schema["x-mqtt"]?["expires"]?.bool == true }

        /// The names in braces.
        var parameters: [String] { topic.matches(of: /\{(\w+)\}/).map { String($0.1) } }
    }

    /// The document with its generated part as it has to be.
    func updated(_ document: String) -> String {
        let head = document.firstRange(of: Self.mark).map { String(document[..<$0.upperBound]) } ?? document + Self.mark
        let channels = schemas.documents.filter { $0.key != "common.json" }.sorted { $0.key < $1.key }.map { path, schema in
            let words = path.dropLast(".json".count).split { $0 == "/" || $0 == "-" }
            let name = (words.first.map(String.init) ?? "") + words.dropFirst().map(\.capitalized).joined()
            return Channel(name: name, path: path, schema: schema)
        }
        return head
            + (["channels:"] + channels.map(channel) + ["operations:"] + channels.map(operation)
            + ["components:", parameters(channels), "  messages:"] + channels.map(message)).joined(separator: "\n") + "\n"
    }

    private func channel(_ channel: Channel) -> String {
        let parameters = channel.parameters.map { "      \($0): { $ref: '#/components/parameters/\($0)' }" }
        return """
              \(channel.name):
                address: '\(channel.topic)'
                parameters:
            \(parameters.joined(separator: "\n"))
                messages:
                  message: { $ref: '#/components/messages/\(channel.name)' }
            """
    }

    private func operation(_ channel: Channel) -> String {
        let expiry = channel.expires ? ", messageExpiryInterval: { type: integer, minimum: 1 }" : ""
        let name = (channel.isReceived ? "receive" : "send") + channel.name.prefix(1).uppercased() + channel.name.dropFirst()
        return """
              \(name):
                action: \(channel.isReceived ? "receive" : "send")
                channel: { $ref: '#/channels/\(channel.name)' }
                messages: [{ $ref: '#/channels/\(channel.name)/messages/message' }]
                bindings: { mqtt: { qos: 1, retain: \(channel.retains)\(expiry), bindingVersion: 0.2.0 } }
            """
    }

    private func message(_ channel: Channel) -> String {
        let format = channel.isReceived ? "" : "payloadFormatIndicator: 1, "
        return """
                \(channel.name):
                  name: \(channel.path.dropLast(".json".count))
                  summary: '\((channel.schema["description"]?.string ?? "").replacing("'", with: "''"))'
                  contentType: application/json
                  payload:
                    schemaFormat: application/schema+json;version=draft-2020-12
                    schema: { $ref: './schemas/\(channel.path)' }
                  bindings: { mqtt: { \(format)contentType: application/json, bindingVersion: 0.2.0 } }
            """
    }

    private static let meanings = [
        "root": "The first levels of the topics: `gateway.root`, by default wearables.", "device": "The id of the device.",
        "gateway": "The name of the gateway: `gateway.name`.", "stream": "The name of a stream.",
        "subject": "What is connected.", "lane": "The name of a lane.",
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
