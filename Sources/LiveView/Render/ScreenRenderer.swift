import GatewayPipeline
import TelemetryModel

/// Draws the view on a whole terminal, in place.
package struct ScreenRenderer: Sendable {
    /// The width of the terminal.
    package var columns: Int

    /// The height of the terminal.
    package var rows: Int

    /// The colours of tones.
    package var style: TerminalStyle

    /// The clock of events and alarms.
    package var clock: WallClock

    private static let pictureWidth = 13
    /// The columns that long ids leave for a text: `depth unknown, was 6.4 m`.
    private static let textWidth = 24

    /// Creates a renderer for a terminal of a size.
    package init(columns: Int = 80, rows: Int = 24, style: TerminalStyle, clock: WallClock = .local) {
        self.columns = columns
        self.rows = rows
        self.style = style
        self.clock = clock
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
        var lines = [header(model)] + alarms(model) + [.rule(columns: columns)]
        lines += devices(model, space: max(1, rows - lines.count - footer.count))
        // A blank line, a title and the events, where alarms leave room for them.
        let eventRows = rows - lines.count - 3 - footer.count
        if eventRows >= 0 {
            let title = model.events.count > eventRows ? "what happened, latest \(eventRows)" : "what happened"
            lines += [ScreenLine(), .rule(title, columns: columns)]
            let events = model.events.suffix(eventRows)
            let subjectWidth = idWidth(events.reduce(0) { max($0, $1.subject.count) }, beside: 13)
            lines += events.map { event($0, subjectWidth: subjectWidth) }
        }
        lines += Array(repeating: ScreenLine(), count: max(0, rows - lines.count - footer.count))
        lines += footer
        return lines.prefix(rows).map { $0.text(columns: columns, style: style) }
    }

    private func header(_ model: LiveViewModel) -> ScreenLine {
        let time = model.plannedSeconds == nil ? clock.text(model.now) : model.elapsed.clock
        var line = ScreenLine(Phrase(" fathom", .strong), Phrase("   \(time)"))
        if let planned = model.plannedSeconds { line.add(Phrase(" of \(planned.clock)", .quiet)) }
        let open = model.openAlarms.map(\.alarm)
        if !open.isEmpty {
            let critical = open.count { $0.severity == .critical }
            line.add(Phrase("   \(open.count.counted("alarm")), \(critical) critical", critical > 0 ? .danger : .warning))
        }
        if let problem = model.connectionProblem {
            line.add(Phrase("   no connection: \(problem)", .danger))
            return line
        }
        let gateway = model.gatewayState.map { "gateway \($0), " } ?? ""
        let text = "\(gateway)\(model.total.grouped) derived"
        if model.isLive {
            line.addAtEnd(Phrase(text, .quiet), columns: columns - 1)
        } else {
            line.add(Phrase("   \(text)", .danger))
        }
        return line
    }

    /// The alarms that are not cleared, above everything else, on at most a third of the lines; their number is in the header.
    private func alarms(_ model: LiveViewModel) -> [ScreenLine] {
        let alarms = model.openAlarms
        let room = (rows - 4) / 3
        guard !alarms.isEmpty, room > 0 else { return [] }
        let shown = alarms.count > room ? alarms.prefix(room - 1) : alarms[...]
        let levelWidth = idWidth(shown.reduce(0) { max($0, $1.alarm.level.count) }, beside: 30)
        let nameWidth = idWidth(shown.reduce(0) { max($0, $1.device.id.count) }, beside: 30)
        var lines = shown.map { device, alarm in
            let isRaised = alarm.state == .raised
            var line = ScreenLine(
                Phrase(alarm.severity == .info ? " · " : isRaised ? " ▲ " : " △ ", alarm.tone),
                Phrase(alarm.level.shortened(to: levelWidth).padded(to: levelWidth), isRaised ? alarm.tone : .plain),
                Phrase("  "),
                Phrase(device.id.shortened(to: nameWidth).padded(to: nameWidth), .strong),
                Phrase("  since \(clock.text(alarm.since, now: model.now))", isRaised ? alarm.tone : .plain))
            if alarm.count > 1 { line.add(Phrase(", \(alarm.count) times")) }
            if let name = alarm.acknowledgedBy?.printable, !isRaised {
                let at = alarm.acknowledgedAt.map { " at \(clock.text($0, now: model.now))" } ?? ""
                line.add(Phrase(", acknowledged by \(name)\(at)", .quiet))
            }
            if !alarm.reason.isEmpty { line.add(Phrase("  \(alarm.reason)", .quiet)) }
            return line
        }
        let rest = alarms.dropFirst(shown.count)
        if !rest.isEmpty {
            let critical = rest.count { $0.alarm.severity == .critical }
            lines.append(
                ScreenLine(
                    Phrase("   and \(rest.count.counted("more alarm")), \(critical) critical", critical > 0 ? .danger : .quiet)))
        }
        return lines
    }

    /// The width of ids of which the longest has `longest` columns, beside `others` columns and a text.
    private func idWidth(_ longest: Int, beside others: Int) -> Int {
        min(longest, max(12, columns - others - Self.textWidth))
    }

    private var hasPictures: Bool { columns >= 60 }

    /// The devices by their danger, on two thirds of the lines of `space`, and on more where more are under water.
    private func devices(_ model: LiveViewModel, space: Int) -> [ScreenLine] {
        let devices = model.devicesByDanger
        guard !devices.isEmpty else { return [ScreenLine(Phrase(" waiting for devices", .quiet))] }
        /// The lines for the first devices and the number of the rest.
        func needed(_ count: Int) -> Int { count + (count < devices.count ? 1 : 0) }
        let usual = max(1, (space - 3) * 2 / 3)
        guard needed(devices.prefix { $0.danger.isAlarm }.count) <= space else { return crowded(devices, model, space) }
        let pictureColumns = hasPictures ? Self.pictureWidth + 2 : 0
        let width = idWidth(devices.reduce(6) { max($0, $1.device.id.count) }, beside: 5 + pictureColumns)
        var lines = devices.map { line(of: $0, width: width, model) }
        var firstAway = devices.firstIndex { $0.danger == .notInUse } ?? 0
        if firstAway > 0 {
            lines.insert(ScreenLine(Phrase("   not in use", .quiet)), at: firstAway)
        } else {
            firstAway = lines.count
        }
        let room = min(space, max(usual, needed(devices.prefix { $0.danger <= .underWater }.count)))
        guard lines.count > room else { return lines }
        let shown = room - 1 > firstAway ? room - 2 : room - 1
        return lines.prefix(room - 1) + [rest(devices.dropFirst(shown))]
    }

    private func line(of judged: LiveViewModel.Judged, width: Int, _ model: LiveViewModel) -> ScreenLine {
        let (now, device, isLive) = (model.now, judged.device, judged.isLive)
        var line = ScreenLine(
            Phrase(" "), device.icon(at: now, isLive: isLive), Phrase(" "),
            Phrase(device.id.shortened(to: width).padded(to: width), .strong), Phrase("  "))
        if hasPictures {
            for phrase in device.picture(width: Self.pictureWidth, at: now, isLive: isLive) { line.add(phrase) }
            line.add(Phrase("  "))
        }
        line.add(device.headline(at: now, isLive: isLive))
        // Where no gateway works at all the header says so.
        if !isLive, model.isLive { line.add(Phrase(" · no gateway", .warning)) }
        return line
    }

    /// More alarms than lines: who is under water, several beside each other, by name and depth.
    private func crowded(
        _ devices: [LiveViewModel.Judged], _ model: LiveViewModel, _ space: Int
    ) -> [ScreenLine] {
        let divers = devices.prefix { $0.danger <= .underWater }
        func texts(idWidth: Int) -> [String] {
            divers.map { device, _, isLive in
                " \(device.id.shortened(to: idWidth)) \(device.water.shortDepth(at: model.now, isLive: isLive))"
            }
        }
        // A single line is for alarms, not for their number.
        func hasRest(_ shown: Int) -> Bool { shown < devices.count && space > 1 }
        /// How many of the first texts fit, in cells as wide as the longest of them, and how many are on a line.
        func layout(_ texts: [String]) -> (shown: Int, width: Int, perLine: Int) {
            var (width, best) = (11, (shown: 0, width: 11, perLine: 1))
            for (index, text) in texts.enumerated() {
                width = max(width, text.count + 3)
                let perLine = max(1, (columns - 1) / width)
                let lines = (index + perLine) / perLine
                if lines + (hasRest(index + 1) ? 1 : 0) <= space { best = (index + 1, width, perLine) }
            }
            return best
        }
        // Beside an icon and a depth.
        let room = max(12, columns - 11)
        var cells = texts(idWidth: room)
        if layout(cells).shown < divers.count { cells = texts(idWidth: min(16, room)) }
        let (shown, width, perLine) = layout(cells)
        var lines: [ScreenLine] = []
        for start in stride(from: 0, to: shown, by: perLine) {
            var line = ScreenLine(Phrase(" "))
            for index in start..<min(start + perLine, shown) {
                line.add(divers[index].device.icon(at: model.now, isLive: divers[index].isLive))
                line.add(Phrase(cells[index].padded(to: width - 1), .strong))
            }
            lines.append(line)
        }
        return hasRest(shown) ? lines + [rest(devices.dropFirst(shown))] : lines
    }

    /// How many devices are not shown, and how many of them are alarms.
    private func rest(_ devices: ArraySlice<LiveViewModel.Judged>) -> ScreenLine {
        let alarms = devices.count { $0.danger.isAlarm }
        return ScreenLine(
            Phrase("   and \(devices.count.counted("more device")), \(alarms.counted("alarm"))", alarms > 0 ? .danger : .quiet))
    }

    private func event(_ event: LiveEvent, subjectWidth: Int) -> ScreenLine {
        ScreenLine(
            Phrase(" \(clock.text(event.at))  ", .quiet),
            Phrase(event.subject.shortened(to: subjectWidth).padded(to: subjectWidth) + "  ", .strong),
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
            Phrase(" ▲ alarm ◌ lost ✕ refused  ≈ depth (█ to the limit) ♪ head (● yaw) ◆ ●hit ○miss", .quiet))
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
