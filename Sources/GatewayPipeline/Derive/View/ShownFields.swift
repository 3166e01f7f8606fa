/// One message as a view shows it. A field that is absent, null or not of its type is nil; texts are safe to print.
package struct ShownFields: Sendable {
    /// The path after `out/`.
    package let path: String
    /// The members of the message.
    package let values: [String: MessageValue]
    /// The members of the message of the path before it; nil for the first.
    package var before: [String: MessageValue]?
    /// What was counted up to this message, by the nouns of `KindView.tallies`.
    package var tallies: [String: Int] = [:]
    /// When it is shown, unix seconds.
    package var now = 0.0
    /// Whether a cell is to show it as current, or as what was known last.
    package var isCurrent = true

    /// The declaration of its kind; nil where it has none.
    package let kind: KindDescription?
    private static let envelope: Set<String> = ["at", "received", "id", "quality", "validUntil"]

    /// The members of a message with a path; `kind` is its declaration, nil where it has none.
    package init(path: String, values: [String: MessageValue], kind: KindDescription? = nil) {
        self.path = path
        self.values = values
        self.kind = kind
    }

    /// The last sample of a series as the message that would be published of it after `latest`; nil where that is as new.
    package func lastSample(after latest: ShownFields) -> ShownFields? {
        guard let times = values.sampleTimes, let at = times.last, let before = latest.at, at > before else { return nil }
        var members = latest.values.merging(values.sample(times.count - 1, of: times)) { _, new in new }
        if let until = latest.number("validUntil") { members["validUntil"] = .number(at + (until - before)) }
        return ShownFields(path: latest.path, values: members, kind: latest.kind)
    }

    /// The message as a view has it that receives it at `now`, unix seconds. Where the gateway's clock is ahead of the view's, what
    /// caused it was received no later than `now`, and its value holds no longer than the gateway says from then on.
    package func arrived(at now: Double) -> ShownFields {
        guard let received, received > now else { return self }
        var members = values
        members["received"] = .number(now)
        if let until = number("validUntil") { members["validUntil"] = .number(until - (received - now)) }
        return ShownFields(path: path, values: members, kind: kind)
    }

    /// A number.
    package func number(_ key: String) -> Double? { values[key]?.number }

    /// A whole number.
    package func integer(_ key: String) -> Int? { number(key).flatMap(Int.init(exactly:)) }

    /// A text.
    package func text(_ key: String) -> String? { values[key]?.text?.printable }

    /// A name in the style of Core Motion as words.
    package func words(_ key: String) -> String? { values[key]?.text?.words.printable }

    /// True or false.
    package func flag(_ key: String) -> Bool? { if case .flag(let flag) = values[key] { flag } else { nil } }

    /// A text of the message before.
    package func textBefore(_ key: String) -> String? { before?[key]?.text?.printable }

    /// How a number is written before its unit.
    package enum Sign { case usual, always, never }

    /// A number with the unit of its field; nil where there is none.
    package func measure(_ key: String, _ decimals: Int, sign: Sign = .usual) -> String? {
        number(key).map { number in
            let text = (sign == .never ? abs(number) : number).text(decimals)
            return (sign == .always && number >= 0 ? "+" : "") + text + symbol(of: key)
        }
    }

    /// The same, with `?` where there is none.
    package subscript(key: String, decimals: Int) -> String { measure(key, decimals) ?? "?" + symbol(of: key) }

    /// A count with its noun, `8 repetitions`; nil where there is none.
    package func counted(_ key: String, _ noun: String, _ plural: String? = nil) -> String? {
        integer(key).map { $0.counted(noun, plural) }
    }

    private func symbol(of key: String) -> String {
        kind?.fields.first { $0.name == key }?.symbol.map { " \($0)" } ?? ""
    }

    /// When it happened, unix seconds.
    package var at: Double? { number("at") }

    /// When its sender says that it wrote it, unix seconds, but not later than `now`: a clock that is ahead makes nothing newer than it is.
    package func written(atMost now: Double) -> Double { min(at ?? now, now) }

    /// When what it is derived from was received, unix seconds.
    package var received: Double? { number("received") }

    /// Its quality; nil where the message names none.
    package var quality: String? { text("quality") }

    /// When the message's value was measured, and until when it holds.
    package var validity: Validity {
        Validity(at: at, validUntil: number("validUntil"), isValid: (quality ?? "valid") == "valid")
    }

    /// Its fields, time and quality as JSON.
    package var json: [UInt8] {
        let names = Self.envelope.union(kind?.fields.map(\.name) ?? [])
        return Array(MessageValue.object(values.filter { names.contains($0.key) }).json.utf8)
    }

    /// Its fields with their units, in the order of the declaration, at most four; nil where none has a value.
    var list: Phrase? {
        let shown = (kind?.fields ?? []).compactMap { field in
            text(of: field.name).map { "\(field.name.words) \($0)" + (field.symbol.map { " \($0)" } ?? "") }
        }
        return shown.isEmpty ? nil : Phrase("\(path.printable): " + shown.prefix(4).joined(separator: ", "))
    }

    /// Numbers from this one on are instants: 2001-01-01 in unix seconds, the first that the contract has. No other number is as large.
    private static let firstInstant = 978_307_200.0

    /// Its fields with names and units in words, in the order of the declaration, without instants, its revision and what it has no value of.
    package var facts: [(name: String, text: String)] {
        (kind?.fields ?? []).filter { $0.name != "revision" }.compactMap { field in
            if let number = number(field.name) {
                if number >= Self.firstInstant { return nil }
                if field.unit == "s", number >= 60 { return (field.name.words, number < 3_600 ? number.clock : number.hours) }
                return (field.name.words, number.short + (field.symbol.map { " \($0)" } ?? ""))
            }
            return text(of: field.name).map { (field.name.words, $0.words) }
        }
    }

    private func text(of key: String) -> String? {
        switch values[key] {
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): number.text(2)
        case .text(let text): text.printable
        case .list, .object, .null, nil: nil
        }
    }
}

/// When a value was measured, and until when it is current.
package struct Validity: Sendable, Hashable {
    /// When it was measured, unix seconds.
    package var at: Double?

    /// Until when it holds without further data, unix seconds; nil for a value that holds until it is replaced.
    package var validUntil: Double?

    /// Whether its quality is `valid`.
    package var isValid = true

    /// A validity; by default of a value that holds.
    package init(at: Double? = nil, validUntil: Double? = nil, isValid: Bool = true) {
        self.at = at
        self.validUntil = validUntil
        self.isValid = isValid
    }

    /// Whether it may be shown as current at `now`, unix seconds.
    package func isCurrent(at now: Double) -> Bool { isValid && validUntil.map { now < $0 } ?? true }
}
