import FleetPage
import Foundation
import Testing

let start = 1_763_749_000.0

extension FleetStore {
    /// Receives a message on `{device}/out/{kind}`, `seconds` after the start; `fields` are the fields of its JSON object.
    mutating func receive(_ seconds: Double, _ device: String, _ kind: String, _ fields: String) {
        receive(
            topic: "wearables/\(device)/out/\(kind)",
            payload: Array(#"{"schema":"wearables/1","at":\#(start + seconds),"received":\#(start + seconds),\#(fields)}"#.utf8),
            at: start + seconds)
    }

    /// The row of a device, as parsed JSON.
    func row(_ id: String) throws -> [String: Any] {
        let all = try history(id)
        return try #require(all["row"] as? [String: Any])
    }

    /// What the kinds of a column say of a device while it is current, each as a text; instants are in braces.
    func cells(_ id: String, _ column: String) throws -> [String] {
        let cells = try row(id)["cells"] as? [String: [[String: Any]]]
        return (cells?[column] ?? []).map { text(of: $0["now"]) }
    }

    /// The facts below a heading, each with its name.
    func facts(_ id: String, _ heading: String) throws -> [String] {
        let groups = try row(id)["facts"] as? [[String: Any]] ?? []
        let facts = groups.first { $0["heading"] as? String == heading }?["facts"] as? [[String: Any]] ?? []
        return facts.map { "\($0["name"] ?? ""): \(text(of: $0["parts"]))" }
    }

    private func text(of parts: Any?) -> String {
        (parts as? [[Any]] ?? []).map { part in
            (part[1] as? String) ?? "{\(part[2]) \(part[1] as? Double ?? 0)}"
        }.joined()
    }

    /// The messages of a kind that are kept of a device.
    func messages(_ id: String, _ kind: String) throws -> [[String: Any]]? {
        (try history(id)["messages"] as? [String: [[String: Any]]])?[kind]
    }

    /// A device with its history, as parsed JSON.
    func history(_ id: String) throws -> [String: Any] {
        let bytes = try #require(device(id))
        return try #require(parsed(bytes))
    }
}

/// A JSON object.
func parsed(_ bytes: [UInt8]) -> [String: Any]? {
    try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
}

/// A depth state; `more` are further fields.
func depth(_ state: String, _ raw: Int, _ depth: Double?, _ more: String = #""quality":"valid""#) -> String {
    #""state":"\#(state)","rawValue":\#(raw),"depth":\#(depth.map { "\($0)" } ?? "null"),"maximumDepth":6,\#(more)"#
}
