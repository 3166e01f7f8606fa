import Foundation
import GatewayConfiguration
import GatewayPipeline
import Testing

@Suite("What a YAML file may hold")
struct YAMLLimitsTests {
    private func problems(ofRegistry text: String) -> [String] {
        let (registry, problems) = Registry.load(text: text)
        #expect((registry == nil) == !problems.isEmpty)
        return problems.map { "\($0.line ?? 0): \($0.message)" }
    }

    /// Levels of aliases of the one before: the content of the last has 9 to the power of `levels` values.
    private func laughs(_ levels: Int) -> String {
        let lists = (1...levels).map { level in
            "l\(level): &l\(level) [\(repeatElement("*l\(level - 1)", count: 9).joined(separator: ", "))]"
        }
        return "l0: &l0 [x]\n" + lists.joined(separator: "\n") + "\n"
    }

    private static let advice =
        "aliases and merge keys (<<) are not read: write in its place what it stands for"

    @Test("An alias is refused with its line and column")
    func alias() {
        let text = """
            devices:
              a: &diver { entitlement: full }
              b: *diver
            """
        #expect(problems(ofRegistry: text) == ["3: has an alias (*) in column 6; \(Self.advice)"])
        let merged = """
            devices:
              a: &diver { entitlement: full }
              b: { <<: *diver, wrist: left }
            """
        #expect(problems(ofRegistry: merged) == ["3: has an alias (*) in column 12; \(Self.advice)"])
        #expect(problems(ofRegistry: "devices: { a: &diver {}, b: '*diver' }").first?.contains("alias") == false)
        #expect(problems(ofRegistry: "devices: { a: &diver {} } # *diver").isEmpty)
    }

    @Test("Aliases that expand are refused before anything follows them, as values and as keys")
    func expansion() async throws {
        let values = laughs(40)
        let keys = laughs(40) + "? *l40\n: 1\n"
        for text in [values, keys] {
            #expect(problems(ofRegistry: text) == ["2: has an alias (*) in column 10; \(Self.advice)"])
            #expect(ConfigurationTree.load(text: text, name: "producers.yaml").problems.map(\.line) == [2])
            try await TestFiles.withFolder(["fathom.yaml": text]) { folder in
                #expect(GatewayConfiguration.load(file: "\(folder)/fathom.yaml").problems.map(\.line) == [2])
            }
        }
    }

    @Test("Lists and mappings are nested at most 32 deep, in brackets and in lines")
    func depth() {
        func brackets(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(problems(ofRegistry: "devices: \(brackets(31))").first?.contains("levels") == false)
        #expect(problems(ofRegistry: "devices: \(brackets(32))") == ["1: has more than 32 levels"])
        #expect(problems(ofRegistry: "devices: \(brackets(500_000))") == ["1: has more than 32 levels"])
        let lines = (0..<100).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
        #expect(problems(ofRegistry: lines) == ["33: has more than 32 levels"])
    }

    @Test("More keys and values than a million are refused, and more than 32 MB")
    func sizes() async throws {
        let many = "devices: [" + String(repeating: "a,", count: 1_000_000) + "]"
        #expect(problems(ofRegistry: many) == ["1: has more than 1000000 keys and values"])
        let long = "# " + String(repeating: "a", count: 32_000_000)
        #expect(problems(ofRegistry: long) == ["0: has 32000002 bytes; at most 32000000 are read"])
    }

    @Test("A name of any length is not compared with those that may have been meant")
    func longNames() {
        let name = String(repeating: "a", count: 10_000_000)
        #expect(problems(ofRegistry: "devices: { d1: { streams: [\(name)] } }").count == 1)
        #expect(problems(ofRegistry: "? \(name)\n: 1\n") == ["1: has a key that makes a path of more than 500 bytes"])
        let list = "? \(name)\n: [\(String(repeating: "a, ", count: 100_000))]\n"
        #expect(ConfigurationTree.load(text: list, name: "producers.yaml").problems.count == 1)
        let problem = problems(ofRegistry: "devices: { d1: { wrist: \(name) } }").first
        #expect(problem.map { $0.utf8.count < 1_000 } == true)
    }

    @Test("A thousand problems of a file are listed, and that there are more")
    func manyProblems() {
        let text = "devices:\n  d1:\n" + (0..<100_000).map { "    wrests\($0): 1\n" }.joined()
        let found = problems(ofRegistry: text)
        #expect(found.count == 1_001)
        #expect(found.first == "3: is not a key of the registry")
        #expect(found.last == "1003: has more problems, which are not listed")
    }

    @Test("A file without an end and one that nobody writes are problems")
    func devices() async throws {
        #expect(
            Registry.load(file: "/dev/zero").problems.map(\.message) == [
                "has more than 32000000 bytes, which is the most that is read"
            ])
        try await TestFiles.withFolder { folder in
            #expect(mkfifo("\(folder)/registry.yaml", 0o600) == 0)
            #expect(Registry.load(file: "\(folder)/registry.yaml").problems.map(\.message) == ["is empty"])
            #expect(Registry.load(file: folder).problems.map(\.message) == ["is a folder"])
        }
    }

    @Test("A registry of 20,000 devices is read, each with a sender and streams of its own")
    func fleet() throws {
        let text =
            "devices:\n"
            + (0..<20_000).map { number in
                "  d\(number): { streams: [submersion, status], wrist: left, "
                    + "from: { producer: sensorLogger, topic: sensor-logger/d\(number), id: \(number) } }\n"
            }.joined()
        let (registry, problems) = Registry.load(text: text)
        #expect(problems.isEmpty)
        #expect(registry?.devices.count == 20_000)
    }

    @Test("What a registry says of listed devices is compared without the lines of the file")
    func additions() throws {
        func registry(_ text: String) throws -> Registry { try #require(Registry.load(text: text).registry) }
        let from = "from: { producer: p, topic: t, id: i }"
        let earlier = try registry("devices:\n  a: { \(from) }\n")
        #expect(try registry("devices:\n  b: {}\n  a: { \(from) }\n").onlyAdds(to: earlier))
        #expect(try !registry("devices:\n  b: {}\n").onlyAdds(to: earlier))
        #expect(try !registry("devices:\n  a: { revoked: true, \(from) }\n").onlyAdds(to: earlier))
        #expect(try !registry("defaults: { entitlement: full }\ndevices:\n  a: { \(from) }\n").onlyAdds(to: earlier))
        #expect(try !registry("unknownDevices: allow\ndevices:\n  a: { \(from) }\n").onlyAdds(to: earlier))
    }
}
