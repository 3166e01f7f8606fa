import GatewayPipeline
import TelemetryModel

extension LiveDevice {
    /// A bar for each repetition of the set that is under way.
    func setPicture(width: Int) -> [Phrase] {
        let bars = min(width, max(0, latest[Repetition.name]?.fields.integer("count") ?? 0))
        return [Phrase(String(repeating: "▮", count: bars), .good), Phrase(String(repeating: " ", count: width - bars))]
    }
}
