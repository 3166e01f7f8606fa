package import GatewayPipeline

/// One event as text.
package struct LiveEvent: Sendable, Hashable {
    /// Seconds since the start.
    package let seconds: Double

    /// The device it happened to, or the gateway's name; safe to print.
    package let subject: String

    /// What happened; safe to print.
    package let text: String

    /// The tone, which decides the colour.
    package let tone: Tone

    /// Whether it only repeats what the table of devices shows: of interest where there is no table.
    package let isAmbient: Bool

    init(seconds: Double, subject: String, text: String, tone: Tone, isAmbient: Bool = false) {
        self.seconds = seconds
        self.subject = subject
        self.text = text
        self.tone = tone
        self.isAmbient = isAmbient
    }
}
