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
