import GatewayPipeline

/// Writes events as lines for logs and pipes: no colours, no cursor.
package struct PlainRenderer: Sendable {
    /// The longest name and the longest text in a line, in characters: what a gateway publishes may quote what others chose.
    private static let (longestName, longestText) = (64, 400)

    private let clock: WallClock

    /// Creates a renderer.
    package init(clock: WallClock = .local) { self.clock = clock }

    /// One line without its line feed: `12:31:07  batter-1  hit, 0.24 s to contact`.
    package func line(_ event: LiveEvent) -> String {
        let name = event.subject.shortened(to: Self.longestName).padded(to: 10)
        return "\(clock.text(event.at))  \(name)  \(event.text.cut(to: Self.longestText))"
    }
}

/// Writes a summary of each device, at the end.
package struct SummaryRenderer: Sendable {
    /// The colours of tones.
    package var style: TerminalStyle

    /// The width in which lines are broken between words.
    private static let columns = 80

    /// Creates a renderer.
    package init(style: TerminalStyle) {
        self.style = style
    }

    /// The lines of the summary, without line feeds.
    package func lines(_ model: LiveViewModel) -> [String] {
        let width = model.devices.reduce(6) { max($0, $1.id.count) }
        let indentation = String(repeating: " ", count: width + 4)
        var lines = [
            style.paint(Phrase("\(model.elapsed.text(0)) seconds, \(model.total.grouped) derived messages", .strong)), "",
        ]
        for device in model.devices {
            let summary = device.summary(until: model.now)
            var start = "  " + style.paint(Phrase(device.id.padded(to: width), .strong)) + "  "
            for text in summary.text.wrapped(to: max(20, Self.columns - indentation.count)) {
                lines.append(start + style.paint(Phrase(text, summary.tone)))
                start = indentation
            }
        }
        if model.unreadable > 0 {
            lines += ["", style.paint(Phrase(model.unreadable.counted("message") + " could not be read", .warning))]
        }
        return lines
    }
}
