/// What a derivation reads of recorded acceleration: a value that is given every minute that is read, in order of time.
package protocol HistoryPass: Sendable {
    /// Adds a minute with samples; `epochs` holds it and those before it.
    mutating func add(_ minute: HistoryMinute, _ epochs: Epochs)

    /// Ends: there are no more minutes.
    mutating func finish(_ epochs: Epochs)
}
