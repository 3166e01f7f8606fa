import GatewayPipeline

/// One line of a screen: phrases side by side, cut at the right edge.
struct ScreenLine: Sendable {
    private(set) var phrases: [Phrase] = []
    private(set) var width = 0

    init(_ phrases: Phrase...) {
        for phrase in phrases { add(phrase) }
    }

    mutating func add(_ phrase: Phrase) {
        phrases.append(phrase)
        width += phrase.text.count
    }

    /// Adds a phrase whose end is at column `columns`, if there is room for it.
    mutating func addAtEnd(_ phrase: Phrase, columns: Int) {
        let space = columns - width - phrase.text.count
        guard space > 0 else { return }
        add(Phrase(String(repeating: " ", count: space)))
        add(phrase)
    }

    func text(columns: Int, style: TerminalStyle) -> String {
        var room = columns
        var text = ""
        for phrase in phrases where room > 0 {
            text += style.paint(Phrase(phrase.text.cut(to: room), phrase.tone))
            room -= phrase.text.count
        }
        return text
    }

    static func rule(_ title: String = "", columns: Int) -> ScreenLine {
        let head = title.isEmpty ? " " : " \(title) "
        return ScreenLine(Phrase(head, .strong), Phrase(String(repeating: "─", count: max(0, columns - head.count - 1)), .quiet))
    }
}
