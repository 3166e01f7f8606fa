/// A derivation from recorded acceleration alone: it processes `Occurrence.history`, has no timers, and goes on in the next boot.
package protocol HistoryDerivation: UntimedDerivation where Input == Never {
    /// Appends the events of the days that have changed; `pass` is what `pass(over:settings:)` gave, after the last minute.
    mutating func take(
        _ view: HistoryView, _ pass: (any HistoryPass)?, settings: Settings, into events: inout [DerivedEvent])
}

extension HistoryDerivation {
    /// Processes a history; ignores other occurrences.
    package mutating func take(_ occurrence: Occurrence, settings: Settings, into output: inout DerivationOutput) {
        guard case .history(let view, let pass) = occurrence else { return }
        take(view, pass, settings: settings, into: &output.events)
    }

    /// The state: a history goes on in the next boot.
    package func continued() -> Self? { self }
}
