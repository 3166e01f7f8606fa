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

    @Test("A field is what its declaration says: a text, a number, true or false, an instant or something else")
    func types() throws {
        var seen: Set<String> = []
        for (path, text) in try Examples.shared.get().texts where path.hasPrefix("examples/out/") {
            let message = try JSONValue(parsing: text.utf8)
            guard let kind = message["kind"]?.text, let described = KindDescription.all.first(where: { $0.covers(kind) }) else {
                continue
            }
            for field in described.fields {
                let isRight: Bool
                switch message[field.name] {
                case nil, .null?: continue
                case .string?:
                    isRight =
                        field.type == .text
                        || ["alarm.value", "hill.segment"].contains("\(described.name.prefix { $0 != "/" }).\(field.name)")
                case .number?: isRight = field.type == .number || field.type == .instant
                case .flag?: isRight = field.type == .flag
                case .array?, .object?: isRight = field.type == .other
                }
                #expect(isRight, "\(path): \(field.name)")
                seen.insert("\(described.name).\(field.name)")
            }
        }
        #expect(seen.count > 200)
    }

    @Test("Every stream has a schema", arguments: StreamName.allCases)
    func streams(stream: StreamName) throws {
        let document = try #require(try Contract.schemas().documents["in/\(stream.rawValue).json"])
        #expect(document["x-mqtt"]?["topic"] == .string("{root}/{device}/in/\(stream.rawValue)"))
        #expect(document["x-mqtt"]?["retain"] == .flag(stream.isRetained))
        #expect(document["unevaluatedProperties"] == nil, "devices may add fields")
    }

    @Test("The schema of a query lists the members that it may have, and no other")
    func queries() throws {
        #expect(Set(Query.members.keys) == Set(Query.names))
        for (name, members) in Query.members {
            let document = try #require(try Contract.schemas().documents["query/\(name).json"])
            #expect(document["unevaluatedProperties"] == .flag(false))
            #expect(Set(document["properties"]?.members.keys.map(\.self) ?? []) == Set(members + Query.commonMembers), "\(name)")
        }
    }

    @Test("Every property has a sentence of its own or of what it refers to")
    func sentences() throws {
        let documents = try Contract.schemas().documents
        for (path, document) in documents {
            #expect(document["$id"] == .string("https://fathom.example/wearables/1/\(path)"))
            #expect(document["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
            guard !path.hasPrefix("common/") else { continue }
            #expect(document["description"]?.text?.hasSuffix(".") == true, "\(path)")
            for (name, property) in document["properties"]?.members ?? [:] where name != "kind" && name != "schema" {
                let referred = (property["anyOf"]?.elements.first ?? property)["$ref"]?.text?.split(separator: "/").last
                let definition = referred.flatMap { documents["common/\($0)"] }
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

    /// The fields of each message of the Protocol Buffers file, by its name: number, type and name in JSON.
    private static func protoFields() throws -> [String: [(number: Int, type: String, name: String)]] {
        var messages: [String: [(number: Int, type: String, name: String)]] = [:]
        var path: [String] = []
        for line in try Contract.text("wearables.proto").split(separator: "\n") {
            if let found = line.firstMatch(of: /^\s*(?:message|oneof) (\w+) \{/) {
                path.append(line.contains("oneof") ? "" : String(found.1))
            } else if line.firstMatch(of: /^\s*\}/) != nil {
                path.removeLast()
            } else if let found = line.firstMatch(of: /^\s+(?:optional )?((?:repeated )?[\w<>, ]+) (\w+) = (\d+);/) {
                let words = found.2.split(separator: "_")
                let name = words.first.map { String($0) + words.dropFirst().map(\.capitalized).joined() } ?? ""
                messages[path.filter { !$0.isEmpty }.joined(separator: "."), default: []].append(
                    (Int(found.3) ?? 0, String(found.1), name))
            }
        }
        return messages
    }

    @Test("Names of fields in the Protocol Buffers file are those of the schemas")
    func protocolBuffers() throws {
        let names = try Contract.schemas().documents.filter { $0.key.hasPrefix("in/") || $0.key.hasPrefix("common/") }
            .reduce(into: Set<String>()) { Self.collect($1.value, into: &$0) }
        let unknown = try Self.protoFields().flatMap { message, fields in
            fields.filter { !names.contains($0.name) }.map { "\(message).\($0.name)" }
        }
        #expect(unknown.sorted() == Self.onlyInProtocolBuffers)
    }

    /// What JSON expresses in another way: the body of a frame by its stream, forms of columns, and an activity's number.
    private static let onlyInProtocolBuffers = [
        "BatchedIMU.Accelerometer.packed", "Frame.batchedImu", "Frame.headphoneConnection", "Frame.status",
        "Frame.submersion", "Frame.workout", "MagneticField.packed", "RecordedAccelerometer.packed",
        "Timestamps.deltaMicroseconds", "Vectors.packed", "Workout.activityType",
    ]

    @Test("The reader's tables are those of the Protocol Buffers file")
    func tables() throws {
        let file = try Self.protoFields()
        var seen: Set<String> = []
        func compare(_ message: ProtobufMessage, _ name: String) {
            guard seen.insert(name).inserted else { return }
            let fields = file[name] ?? []
            #expect(message.knownFields.map(\.number) == fields.map(\.number).sorted(), "\(name)")
            for (number, field) in message.knownFields {
                guard let expected = fields.first(where: { $0.number == number }) else { continue }
                let isRenamed = ["", "samples"].contains(field.key) || expected.name == "activityType"
                #expect(isRenamed || field.key == expected.name, "\(name).\(expected.name)")
                let type = expected.type.replacing("repeated ", with: "")
                let inner = file["\(name).\(type)"] == nil ? type : "\(name).\(type)"
                switch field.kind {
                case .message(let message), .body(let message, _): compare(message, inner)
                case .entries(let message):
                    #expect(expected.type.hasPrefix("repeated "), "\(name).\(expected.name)")
                    compare(message, inner)
                case .texts: #expect(file[inner]?.map(\.type) == ["repeated string"], "\(name).\(expected.name)")
                default: #expect(expected.type == field.kind.protoType, "\(name).\(expected.name)")
                }
            }
        }
        compare(.frame, "Frame")
        #expect(file.keys.filter { !seen.contains($0) } == ["Status.Entitlements"])
    }

    private static func collect(_ value: JSONValue, into names: inout Set<String>) {
        names.formUnion(value["properties"]?.members.keys.map(\.self) ?? [])
        for member in value.members.values { collect(member, into: &names) }
        for element in value.elements { collect(element, into: &names) }
    }
}

extension ProtobufField.Kind {
    /// The type of a field that is no message, as the file has it.
    fileprivate var protoType: String {
        switch self {
        case .number: "double"
        case .numbers: "repeated double"
        case .floats: "repeated float"
        case .sums: "repeated sint32"
        case .integer: "int32"
        case .integers: "repeated int32"
        case .natural: "uint64"
        case .naturals: "repeated uint64"
        case .text: "string"
        case .flags: "map<string, bool>"
        case .texts, .message, .entries, .body: ""
        }
    }
}
