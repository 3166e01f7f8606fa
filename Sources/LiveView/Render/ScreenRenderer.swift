/// Draws the view on a whole terminal, in place.
package struct ScreenRenderer: Sendable {
    /// The width of the terminal.
    package var columns: Int

    /// The height of the terminal.
    package var rows: Int

    /// The colours of tones.
    package var style: TerminalStyle

    private static let pictureWidth = 13

    /// Creates a renderer for a terminal of a size.
    package init(columns: Int = 80, rows: Int = 24, style: TerminalStyle) {
        self.columns = columns
        self.rows = rows
        self.style = style
    }

    /// To be written before the first frame: the alternate screen, no cursor, no wrapping.
    package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"

    /// To be written after the last frame, however the program ends: it restores the terminal.
    package static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// One frame: every line from the top left, each cleared to its end, so that nothing flickers.
    package func frame(_ model: LiveViewModel) -> String {
        "\u{1B}[H" + lines(model).map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
    }

    /// The lines of a frame, at most `rows` of at most `columns` columns.
    package func lines(_ model: LiveViewModel) -> [String] {
        let footer = footer(model)
        let space = max(0, rows - 5 - footer.count)
        let deviceRows = min(model.devices.count, max(1, space * 2 / 3))
        var lines = [header(model), .rule(columns: columns)]
        lines += devices(model, rows: deviceRows)
        let eventRows = max(0, rows - lines.count - 3 - footer.count)
        let title = model.events.count > eventRows ? "what happened, latest \(eventRows)" : "what happened"
        lines += [ScreenLine(), .rule(title, columns: columns)]
        let events = model.events.suffix(eventRows)
        let subjectWidth = events.reduce(0) { max($0, $1.subject.count) }
        lines += events.map { event($0, subjectWidth: min(16, subjectWidth)) }
        lines += Array(repeating: ScreenLine(), count: max(0, rows - lines.count - footer.count))
        lines += footer
        return lines.prefix(rows).map { $0.text(columns: columns, style: style) }
    }

    private func header(_ model: LiveViewModel) -> ScreenLine {
        var line = ScreenLine(Phrase(" fathom", .strong), Phrase("   \(model.elapsed.clock)"))
        if let planned = model.plannedSeconds { line.add(Phrase(" of \(planned.clock)", .quiet)) }
        if let problem = model.connectionProblem {
            line.add(Phrase("   no connection: \(problem)", .danger))
            return line
        }
        let gateway = model.gatewayState.map { "gateway \($0), " } ?? ""
        line.addAtEnd(Phrase("\(gateway)\(model.total.grouped) derived", .quiet), columns: columns - 1)
        return line
    }

    private func devices(_ model: LiveViewModel, rows: Int) -> [ScreenLine] {
        guard !model.devices.isEmpty else { return [ScreenLine(Phrase(" waiting for devices", .quiet))] }
        let isCut = model.devices.count > rows
        let shown = model.devices.prefix(isCut ? rows - 1 : rows)
        let width = min(16, shown.reduce(6) { max($0, $1.id.count) })
        var lines = shown.map { device in
            var line = ScreenLine(
                Phrase(" "), device.icon, Phrase(" "), Phrase(device.id.fitted(to: width), .strong), Phrase("  "))
            if columns >= 60 {
                for phrase in device.picture(width: Self.pictureWidth) { line.add(phrase) }
                line.add(Phrase("  "))
            }
            line.add(device.headline(at: model.now))
            return line
        }
        if isCut {
            lines.append(ScreenLine(Phrase("   and \((model.devices.count - shown.count).counted("more device"))", .quiet)))
        }
        return lines
    }

    private func event(_ event: LiveEvent, subjectWidth: Int) -> ScreenLine {
        ScreenLine(
            Phrase(" \(event.seconds.stamp)  ", .quiet), Phrase(event.subject.fitted(to: subjectWidth) + "  ", .strong),
            Phrase(event.text, event.tone))
    }

    /// The last lines: what was received, the legend where there is room for it, and the model's notes.
    private func footer(_ model: LiveViewModel) -> [ScreenLine] {
        var lines = [counts(model)]
        if rows >= 16, columns >= 80 { lines.append(legend) }
        // On a small screen the events need the room.
        let notes = rows >= 20 ? model.notes[...] : model.notes.prefix(1)
        lines += notes.map { ScreenLine(Phrase(" \($0)", .strong)) }
        return lines
    }

    private var legend: ScreenLine {
        ScreenLine(
            Phrase(" ♪ head (● yaw)  ≈ depth (█ to the limit)  ◆ swings (● hit ○ miss)  ✕ refused", .quiet))
    }

    private func counts(_ model: LiveViewModel) -> ScreenLine {
        var line = ScreenLine()
        var left = model.counts.count
        for (kind, count) in model.counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            let text = (line.width == 0 ? " " : " · ") + "\(kind) \(count.grouped)"
            let rest = left > 1 ? " · \((left - 1).counted("more kind"))" : ""
            guard line.width + text.count + rest.count < columns else { break }
            line.add(Phrase(text, .quiet))
            left -= 1
        }
        if left > 0 { line.add(Phrase((line.width == 0 ? " " : " · ") + left.counted("more kind"), .quiet)) }
        return line
    }
}
