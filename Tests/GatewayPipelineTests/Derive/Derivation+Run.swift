import Foundation
import GatewayPipeline
import StateCoding
import TelemetryModel

extension DerivationSettings {
    /// The defaults but for what `change` sets.
    static func with(_ change: (inout Self) -> Void) -> Self {
        var settings = Self()
        change(&settings)
        return settings
    }
}

extension Derivation {
    /// What follows from one more input.
    mutating func take(_ input: Input, _ settings: Settings) -> [DerivedEvent] {
        var events: [DerivedEvent] = []
        consume(input, settings: settings, into: &events)
        return events
    }

    /// What the timers due at or before `seconds` say.
    mutating func wait(until seconds: Double, _ settings: Settings) -> [DerivedEvent] {
        var events: [DerivedEvent] = []
        fire(until: DeviceTime(seconds), settings: settings, into: &events)
        return events
    }

    /// What follows from `inputs`, and from the timers up to `end` after them.
    static func events(of inputs: [Input], _ settings: Settings, until end: Double? = nil) -> [DerivedEvent] {
        var derivation = Self()
        let events = inputs.flatMap { derivation.take($0, settings) }
        return events + (end.map { derivation.wait(until: $0, settings) } ?? [])
    }

    /// The same; `saving` writes the state out and reads it back before each input.
    static func run(
        _ inputs: [Input], _ settings: Settings, saving: Bool = false, until end: Double? = nil
    ) throws -> [DerivedEvent] {
        var derivation = Self()
        var events: [DerivedEvent] = []
        for input in inputs {
            if saving {
                derivation = try StateCoder.decode(Self.self, from: StateCoder.encode(derivation))
            }
            derivation.consume(input, settings: settings, into: &events)
        }
        return events + (end.map { derivation.wait(until: $0, settings) } ?? [])
    }
}
