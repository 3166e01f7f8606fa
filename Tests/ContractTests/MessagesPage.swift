import Foundation
import GatewayTestSupport
import Yams

/// The generated parts of `docs/reference/messages.md`: each stands between two comments, in a section that is written by hand.
struct MessagesPage {
    let schemas: SchemaNodes
    let examples: [String: String]

    /// Where sections of a group begin: the comment at the end of the group.
    static let groups = ["out", "gateway", "in", "query", "reply", "homeassistant", "part", "enumeration"]

    private static let end = "<!-- end of generated part -->"

    private func start(_ key: String) -> String { "<!-- generated: \(key) -->" }

    /// The page with its generated parts as they have to be; what has no section yet gets one at the end of its group.
    func updated(_ page: String) -> String {
        var page = page
        for (key, heading, text) in parts {
            let group = key.prefix { $0 != "/" }
            if page.firstRange(of: start(key)) == nil {
                let place = page.firstRange(of: "<!-- end of \(group) -->")?.lowerBound ?? page.endIndex
                page.insert(contentsOf: "### \(heading)\n\n\(start(key))\n\(Self.end)\n\n", at: place)
            }
            guard let begin = page.firstRange(of: start(key))?.upperBound,
                let end = page[begin...].firstRange(of: Self.end)?.lowerBound
            else { continue }
            page.replaceSubrange(begin..<end, with: "\n\(text)\n")
        }
        return page
    }

    /// Every generated part: its key, the heading of its section, and its text.
    private var parts: [(key: String, heading: String, text: String)] {
        let table = FieldTable(schemas: schemas)
        let messages = schemas.messages.map { path, schema in
            let topic = schema["x-mqtt"]?["topic"]?.string ?? ""
            // All replies have one topic.
            let heading =
                path.hasPrefix("reply/")
                ? schema["title"]?.string ?? "" : topic.replacing("{root}/{device}/", with: "")
            return (String(path.dropLast(".json".count)), heading, message(path, schema, table))
        }
        let shared = FieldTable.sections.compactMap { name in schemas.definition(name).map { (name, $0) } }.map { name, schema in
            (
                "part/\(name)", name,
                [schema["description"]?.string ?? "", fields(of: schema, table)].filter { !$0.isEmpty }.joined(separator: "\n\n")
            )
        }
        let enumerations = schemas.definitions.filter { $0.node["oneOf"] != nil }.map { name, schema in
            ("enumeration/\(name)", name, enumeration(schema))
        }
        return messages + shared + enumerations
    }

    private func message(_ path: String, _ schema: Node, _ table: FieldTable) -> String {
        let mqtt = schema["x-mqtt"]
        var facts = ["QoS \(mqtt?["qos"]?.string ?? "1")", mqtt?["retain"]?.bool == true ? "retained" : "not retained"]
        if mqtt?["expires"]?.bool == true { facts.append("expires on MQTT 5") }
        let folder = "examples/\(path.dropLast(".json".count))"
        let own = examples.keys.filter { $0.hasPrefix("\(folder)/") }.sorted()
        let named = schema["x-example"]?.string.map { "\(folder)/\($0).json" }
        let shown = named.flatMap { examples[$0] } ?? own.first.flatMap { examples[$0] } ?? ""
        let count = "; \(own.count) \(own.count == 1 ? "example" : "examples"): [\(folder)](../contract/\(folder))"
        let compact = shown.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
        return """
            \(schema["description"]?.string ?? "")

            - Topic: `\(mqtt?["topic"]?.string ?? "")`
            - MQTT: \(facts.joined(separator: ", "))
            - Schema: [\(path)](../contract/schemas/\(path))\(own.isEmpty ? "" : count)
            """ + (own.isEmpty ? "" : "\n\n\(fields(of: schema, table))\n\n\(Self.block(compact))")
    }

    private static func block(_ json: String) -> String {
        """
        ```json
        \(PrettyJSON(longestArray: 4).text(Array(withoutSpaces(json).utf8)))
        ```
        """
    }

    /// A table, with a line about fields that stand elsewhere.
    private func fields(of schema: Node, _ table: FieldTable) -> String {
        let header = (schema["allOf"]?.elements ?? []).compactMap { $0["$ref"]?.string.flatMap(schemas.target)?.name }
        let alternatives = (schema["anyOf"]?.elements ?? []).compactMap { $0["$ref"]?.string.flatMap(schemas.target)?.name }
        var lines: [String] = []
        if header.contains("message") { lines.append("Fields beside those of [every derived message](#message):") }
        if (header + alternatives).contains(where: { ["frame", "countedFrame"].contains($0) }) {
            lines.append("Fields beside those of [every frame](#frame):")
        }
        if schema["properties"] != nil { lines.append(table.markdown(schema)) }
        if (schema["properties"]?.pairs ?? []).contains(where: { $0.node["items"]?["allOf"] != nil }) {
            lines.append("Each entry of a list also has its time: [dated](#dated).")
        }
        let either = (schema["not"]?["properties"]?.pairs ?? []).map { "`\($0.name)`" }
        if !either.isEmpty { lines.append("At least one of \(either.joined(separator: ", ")) is there.") }
        return lines.joined(separator: "\n\n")
    }

    private func enumeration(_ schema: Node) -> String {
        let cases = schema["oneOf"]?.elements ?? []
        let hasNumbers = cases.contains { $0["x-raw"] != nil }
        let head = hasNumbers ? ["| value | number | |", "|---|---|---|"] : ["| value | |", "|---|---|"]
        let rows = cases.map { entry in
            let number = hasNumbers ? " \(entry["x-raw"]?.string ?? "") |" : ""
            return "| `\(entry["const"]?.string ?? "")` |\(number) \(entry["description"]?.string ?? "") |"
        }
        return ([schema["description"]?.string ?? "", ""] + head + rows).joined(separator: "\n")
    }

    /// JSON without spaces outside of strings.
    private static func withoutSpaces(_ json: String) -> String {
        var isQuoted = false
        var previous: Character = " "
        return json.filter { character in
            if character == "\"", previous != "\\" { isQuoted.toggle() }
            previous = character
            return isQuoted || character != " "
        }
    }
}
