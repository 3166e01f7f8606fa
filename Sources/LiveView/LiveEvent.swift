package import GatewayPipeline

/// One event as text.
package struct LiveEvent: Sendable, Hashable {
    /// When it was received, unix seconds.
    package let at: Double

    /// The device it happened to, or the gateway's name; safe to print.
    package let subject: String

    /// What happened; safe to print.
    package let text: String

    /// The tone, which decides the colour.
    package let tone: Tone

    /// Whether it only repeats what the table of devices shows: of interest where there is no table.
    package var isAmbient: Bool = false
}
