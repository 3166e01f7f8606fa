import GatewayPipeline
import TelemetryModel

extension LiveDevice {
    /// A bar for each repetition of the set that is under way.
    func setPicture(width: Int) -> [Phrase] {
        let bars = min(width, max(0, latest[Repetition.name]?.fields.integer("count") ?? 0))
        return [Phrase(String(repeating: "▮", count: bars), .good), Phrase(String(repeating: " ", count: width - bars))]
    }

    /// A bar of the last night, as much of it full as was sleep.
    func nightPicture(width: Int) -> [Phrase] {
        let sleep = latest[SleepPeriod.name]?.fields
        guard let asleep = sleep?.number("sleepDuration"), let duration = sleep?.number("duration"), duration > 0 else {
            return [Phrase(String(repeating: " ", count: width))]
        }
        let full = Int((min(1, max(0, asleep / duration)) * Double(width)).rounded())
        return [
            Phrase(String(repeating: "▆", count: full), .good), Phrase(String(repeating: "▁", count: width - full), .quiet),
        ]
    }
}
