/// What a derivation reads of recorded acceleration: a value that is given every minute that is read, in order of time.
package protocol HistoryPass: Sendable {
    /// Adds a minute with samples; `epochs` holds it and those before it.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs)

    /// Ends: there are no more minutes.
    mutating func finish(_ epochs: Epochs)

    /// Whether it has to compute for longer than a minute takes before the next one, or after the end.
    var isBehind: Bool { get }

    /// Computes a part of that, for some milliseconds.
    mutating func catchUp(_ epochs: Epochs)
}

extension HistoryPass {
    /// False: each minute is processed when it is added.
    package var isBehind: Bool { false }

    /// Does nothing.
    package mutating func catchUp(_ epochs: Epochs) {}
}
