import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Schemas of kinds and streams")
struct SchemaTests {
    /// Kinds that are not declared: they are about the order of frames and about rejections.
    private static let undeclared: Set<String> = ["out/committed.json", "out/rejected.json"]

    /// The file of a kind: its path without a placeholder, with dashes.
    static func file(of kind: KindDescription) -> String {
        let fixed = kind.name.split(separator: "/").filter { !$0.hasPrefix("{") }
        return "out/\(fixed.joined(separator: "-")).json"
    }

    @Test("Every kind has a schema with its fields in their order, units and sentences, and there is no other")
    func kinds() throws {
        let documents = try Contract.schemas().documents
        let files = Set(documents.keys.filter { $0.hasPrefix("out/") })
        #expect(files == Set(KindDescription.all.map(Self.file)).union(Self.undeclared))
        for kind in KindDescription.all {
            let file = Self.file(of: kind)
            let document = documents[file] ?? .null
            #expect(document["title"] == .string(kind.name), "\(file)")
            #expect(document["description"] == .string(kind.summary), "\(file)")
            #expect(document["x-mqtt"]?["topic"] == .string("{root}/{device}/out/\(kind.name)"), "\(file)")
            #expect(document["x-mqtt"]?["retain"] == .flag(kind.isRetained), "\(file)")
            #expect(document["unevaluatedProperties"] == .flag(false), "\(file)")
            let properties = document["properties"]?.members ?? [:]
            #expect(Set(properties.keys) == Set(kind.fields.map(\.name)).union(["kind"]), "\(file)")
            let always = kind.fields.filter { !$0.summary.contains("absent") }.map(\.name)
            #expect(document["required"]?.elements == (["kind"] + always).map { .string($0) }, "\(file)")
            for field in kind.fields {
                let property = properties[field.name] ?? .null
                #expect(property["description"] == .string(field.summary), "\(file): \(field.name)")
                #expect(property["x-unit"]?.text == field.unit, "\(file): \(field.name)")
            }
        }
    }

    @Test("Every stream has a schema", arguments: StreamName.allCases)
    func streams(stream: StreamName) throws {
        let document = try #require(try Contract.schemas().documents["in/\(stream.rawValue).json"])
        #expect(document["x-mqtt"]?["topic"] == .string("{root}/{device}/in/\(stream.rawValue)"))
        #expect(document["x-mqtt"]?["retain"] == .flag(stream.isRetained))
        #expect(document["unevaluatedProperties"] == nil, "devices may add fields")
    }

    @Test("Every property has a sentence of its own or of what it refers to")
    func sentences() throws {
        let documents = try Contract.schemas().documents
        for (path, document) in documents where path != "common.json" {
            #expect(document["$id"] == .string("https://fathom.example/wearables/1/\(path)"))
            #expect(document["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
            #expect(document["description"]?.text?.hasSuffix(".") == true, "\(path)")
            for (name, property) in document["properties"]?.members ?? [:] where name != "kind" && name != "schema" {
                let referred = (property["anyOf"]?.elements.first ?? property)["$ref"]?.text?.split(separator: "/").last
                let definition = referred.flatMap { documents["common.json"]?["$defs"]?[String($0)] }
                let sentence = property["description"]?.text ?? definition?["description"]?.text
                #expect(sentence?.hasSuffix(".") == true, "\(path): \(name)")
            }
        }
    }

    @Test("A keyword that is not implemented, and a reference to nothing, are errors")
    func faults() throws {
        for (schema, fault) in [
            (#"{"dependentRequired":{}}"#, "dependentRequired is not known"), (##"{"$ref":"#/$defs/no"}"##, "refers to nothing"),
            (##"{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}"##, "refers to itself"),
        ] {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try schema.write(to: folder.appending(path: "a.json"), atomically: false, encoding: .utf8)
            let error = #expect(throws: SchemaFault.self) { try ContractSchemas(folder: folder) }
            #expect(error?.description.contains(fault) == true)
        }
    }

    @Test(
        "Names of fields in the Protocol Buffers file are those of the schemas")
    func protocolBuffers() throws {
        let proto = try Contract.text("wearables.proto")
        let names = try Contract.schemas().documents.filter { $0.key.hasPrefix("in/") || $0.key == "common.json" }
            .reduce(into: Set<String>()) { Self.collect($1.value, into: &$0) }
        var message = ""
        var unknown: [String] = []
        for line in proto.split(separator: "\n") {
            if let found = line.firstMatch(of: /^message (\w+)/) { message = String(found.1) }
            guard let found = line.firstMatch(of: /^\s+(?:repeated |optional )?[\w<>, ]+ (\w+) = \d+;/) else { continue }
            let words = found.1.split(separator: "_")
            let name = words.first.map { String($0) + words.dropFirst().map(\.capitalized).joined() } ?? ""
            if !names.contains(name) { unknown.append("\(message).\(name)") }
        }
        #expect(unknown == Self.onlyInProtocolBuffers)
    }

    /// What JSON expresses in another way: the body of a frame by its stream, `accuracy` and `motion` inside of an object, and whether
    /// a list is there.
    private static let onlyInProtocolBuffers = [
        "Frame.headphoneConnection", "Frame.batchedImu", "Frame.submersion", "Frame.status", "Frame.workout", "Frame.commandWith",
        "MotionSamples.magneticFieldAccuracy", "Status.motionAuthorization", "Status.statesEntitlements",
    ]

    private static func collect(_ value: JSONValue, into names: inout Set<String>) {
        names.formUnion(value["properties"]?.members.keys.map(\.self) ?? [])
        for member in value.members.values { collect(member, into: &names) }
        for element in value.elements { collect(element, into: &names) }
    }
}
