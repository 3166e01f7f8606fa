import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import Testing
import Yams

@Suite("Pages of the contract")
struct PageTests {
    @Test("The page of messages has a section for every message, part and enumeration, as the schemas and examples give it")
    func messages() throws {
        let page = MessagesPage(schemas: try SchemaNodes(), examples: try Examples.shared.get().texts)
        try Contract.expect("../reference/messages.md", is: page.updated(Contract.text("../reference/messages.md")))
    }

    @Test("The replies to latest and events have messages of every kind that is stored", arguments: ["latest", "events"])
    func storedKinds(query: String) throws {
        let stored = KindDescription.all.filter { $0.name != SwingTrace.kind.name }.map(SchemaTests.file).sorted()
        let kinds = stored.map { "            {\"$ref\": \"../\($0)\"}" }.joined(separator: ",\n")
        let text = try Contract.text("schemas/reply/\(query).json")
        let found = try #require(text.firstMatch(of: /"anyOf": \[\n([^\]]*)\n          \]/))
        try Contract.expect("schemas/reply/\(query).json", is: text.replacing(found.1, with: kinds))
    }

    @Test("The AsyncAPI document has a channel, an operation and a message for every schema")
    func asyncAPI() throws {
        let document = AsyncAPI(schemas: try SchemaNodes())
        try Contract.expect("asyncapi.yaml", is: document.updated(Contract.text("asyncapi.yaml")))
    }

    @Test("References of the AsyncAPI document lead somewhere, and every address has its parameters")
    func references() throws {
        let document = try #require(try Yams.compose(yaml: Contract.text("asyncapi.yaml")))
        var references: [String] = []
        Self.collect(document, into: &references)
        #expect(references.count > 100)
        for reference in references {
            if reference.hasPrefix("./") {
                #expect(
                    FileManager.default.fileExists(atPath: ContractSchemas.folder.appending(path: reference).path), "\(reference)"
                )
            } else {
                var target: Node? = document
                for token in reference.split(separator: "/").dropFirst() { target = target?[String(token)] }
                #expect(target != nil, "\(reference)")
            }
        }
        for (name, channel) in document["channels"]?.pairs ?? [] {
            let inAddress = (channel["address"]?.string ?? "").matches(of: /\{(\w+)\}/).map { String($0.1) }
            #expect(inAddress == channel["parameters"]?.pairs.map(\.name) ?? [], "\(name)")
        }
    }

    private static func collect(_ node: Node, into references: inout [String]) {
        if let reference = node["$ref"]?.string { references.append(reference) }
        for pair in node.pairs { collect(pair.node, into: &references) }
        for element in node.elements { collect(element, into: &references) }
    }
}
