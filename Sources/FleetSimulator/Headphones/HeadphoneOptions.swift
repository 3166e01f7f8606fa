/// How a simulated pair of headphones is worn.
package struct HeadphoneOptions: Sendable, Hashable {
    /// What is done to the headphones, in order of time.
    package var cues: [HeadphoneCue] = []

    /// Seconds after which the cues start over; nil plays them once.
    package var cycle: Double?

    /// The bud that sends first.
    package var bud: Bud = .left

    /// Seconds after each connection during which the attitude is wrong by tens of degrees, as real streams start.
    package var bogusSeconds: Double = 0.2
}

/// One thing done to headphones.
package struct HeadphoneCue: Sendable, Hashable {
    /// When, seconds after the device's start or the start of a cycle.
    package var seconds: Double

    /// What.
    package var action: Action

    /// Creates a cue.
    package init(after seconds: Double, _ action: Action) {
        self.seconds = seconds
        self.action = action
    }

    /// What can be done to headphones.
    package enum Action: Sendable, Hashable {
        /// Both buds leave the ears: the stream stops, `didDisconnect` is reported.
        case takeOut
        /// They return: `didConnect`, a wrong start, then the stream.
        case putBack
        /// The other bud takes over without a disconnect.
        case handOver(to: Bud)
    }
}

/// The bud that data come from.
package enum Bud: Sendable, Hashable {
    /// The left ear's.
    case left
    /// The right ear's.
    case right
}
