import Foundation
@testable import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

@Suite("Examples of the contract")
struct ExampleTests {
    private static let folders = [
        "examples/in", "examples/out", "examples/gateway", "examples/query", "examples/reply", "examples/homeassistant",
    ]

    /// The schema of an example, by its folder.
    private func schema(of path: String) throws -> JSONSchema {
        let name = path.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
        return try #require(try Contract.schemas().schemas["\(name).json"], "\(path)")
    }

    @Test("Examples are what the gateway publishes now; UPDATE_REFERENCE=1 writes them anew", .slow)
    func current() throws {
        let expected = try Examples.shared.get().texts
        let existing = try Self.folders.flatMap(Contract.files)
        if Contract.isUpdating {
            for path in existing where expected[path] == nil {
                try FileManager.default.removeItem(at: ContractSchemas.folder.appending(path: path))
            }
            for (path, text) in expected { try Contract.write(text, to: path) }
            return
        }
        #expect(Set(existing) == Set(expected.keys), "`make contract` writes the examples")
        for (path, text) in expected where existing.contains(path) {
            let found = try JSONValue(parsing: Contract.text(path).utf8)
            #expect(found.isNearly(try JSONValue(parsing: text.utf8)), "\(path) is not current; `make contract` writes it")
        }
    }

    @Test("There is a valid example for every schema", .disabled(if: Contract.isUpdating))
    func valid() throws {
        // A text has none.
        var missing = Set(
            try Contract.schemas().documents.filter { !$0.key.hasPrefix("common/") && $0.value["type"] != .string("string") }.keys
        )
        for path in try Self.folders.flatMap(Contract.files) {
            let problem = try schema(of: path).problem(with: JSONValue(parsing: Contract.text(path).utf8))
            #expect(problem == nil, "\(path)")
            missing.remove(path.split(separator: "/").dropFirst().dropLast().joined(separator: "/") + ".json")
        }
        #expect(missing.isEmpty)
    }

    @Test(
        "Every value of the closed lists of published messages that a gateway can publish has an example",
        .disabled(if: Contract.isUpdating))
    func complete() throws {
        func values(_ folder: String, _ field: String) throws -> Set<String> {
            Set(
                try Contract.files("examples/\(folder)").compactMap {
                    try JSONValue(parsing: Contract.text($0).utf8)[field]?.text
                })
        }
        #expect(try values("out/depth-state", "state") == Set(DepthState.allCases.map(\.name)))
        #expect(try values("out/depth-state", "cause") == Set(DepthCause.allCases.map(\.rawValue)))
        #expect(try values("out/depth-state", "quality") == Set(Quality.allCases.map(\.rawValue)))
        #expect(try values("out/connection", "state") == Set(ConnectionState.allCases.map(\.rawValue)))
        #expect(try values("out/connection", "cause") == Set(ConnectionCause.allCases.map(\.rawValue)))
        #expect(try values("out/access", "reason") == Set(AccessReason.allCases.map(\.rawValue)))
        #expect(try values("out/stroke", "stroke") == Set(GatewayPipeline.Stroke.Name.allCases.map(\.rawValue)))
        #expect(try values("out/pace", "state") == Set(Pace.State.allCases.map(\.rawValue)))
        #expect(try values("reply/error", "error") == Set(RequestFailure.Reason.allCases.map(\.rawValue)))
        #expect(try values("out/gap", "unit") == Set(Gap.Unit.allCases.map(\.rawValue)))
    }

    @Test(
        "A field of another type, a missing field and, but in frames, a field too many are refused", .slow,
        .disabled(if: Contract.isUpdating))
    func mutants() throws {
        for path in try Self.folders.flatMap(Contract.files) {
            let schema = try schema(of: path)
            let example = try JSONValue(parsing: Contract.text(path).utf8)
            for mutant in example.mutants {
                #expect(schema.problem(with: mutant.value) != nil, "\(path) with another type at \(mutant.place)")
            }
            let required =
                try Contract.schemas().documents[
                    path.split(separator: "/").dropFirst().dropLast().joined(separator: "/") + ".json"]?["required"]?.elements
                ?? []
            for name in required.compactMap(\.text) {
                var mutant = example
                mutant[name] = nil
                #expect(schema.problem(with: mutant) != nil, "\(path) without \(name)")
            }
            var larger = example
            larger["mutant"] = .number(1)
            #expect((schema.problem(with: larger) == nil) == path.hasPrefix("examples/in/"), "\(path)")
        }
    }
}

extension JSONValue {
    /// Copies in which one value is of a type that nothing expects; of an array only the first element is replaced.
    fileprivate var mutants: [(place: String, value: JSONValue)] {
        func wrong(_ value: JSONValue) -> JSONValue {
            // An object that may hold anything accepts other objects.
            if case .object = value { .string("mutant") } else { .object(["mutant": .flag(true)]) }
        }
        switch self {
        case .object(let members):
            return members.flatMap { name, member in
                ([(place: "", value: wrong(member))] + member.mutants).map { inner in
                    var copy = self
                    copy[name] = inner.value
                    return ("/\(name)\(inner.place)", copy)
                }
            }
        case .array(let elements):
            guard let first = elements.first else { return [] }
            return ([(place: "", value: wrong(first))] + first.mutants).map { inner in
                ("/0\(inner.place)", .array([inner.value] + elements.dropFirst()))
            }
        default: return []
        }
    }

    /// Whether the values are equal but for the last digits of numbers, in which processors may differ.
    fileprivate func isNearly(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)): abs(left - right) <= 1e-9 * max(1, abs(left))
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { name, value in right[name].map { value.isNearly($0) } ?? false }
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isNearly($1) }
        default: self == other
        }
    }
}
