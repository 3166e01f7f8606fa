import TelemetryModel

extension ConfigurationTree {
    /// A problem with the piece under `key`.
    func wrong(_ key: String, _ message: String) -> TreeProblem { (self[key] ?? self).problem(message) }

    /// The identifier under `key`.
    func identifier(_ key: String, problems: inout [TreeProblem]) -> Identifier? {
        guard let text = text(key, problems: &problems) else { return nil }
        guard let identifier = Identifier(text) else {
            problems.append(wrong(key, "must be 1 to 64 of A-Z, a-z, 0-9, _ and -, is \(text.quoted)"))
            return nil
        }
        return identifier
    }

    /// The JSON pointer under `key`; nil where there is none.
    func pointer(_ key: String, problems: inout [TreeProblem]) -> JSONPointer? {
        guard self[key] != nil, let text = text(key, or: "", problems: &problems), !text.isEmpty else { return nil }
        guard let pointer = JSONPointer(text) else {
            problems.append(wrong(key, "must be a JSON pointer, which starts with /, is \(text.quoted)"))
            return nil
        }
        return pointer
    }

    /// The case that the text under `key` names.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ key: String, or fallback: Choice? = nil, problems: inout [TreeProblem]
    ) -> Choice? {
        guard let text = text(key, or: fallback?.rawValue, problems: &problems) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            problems.append(wrong(key, "is \(text.quoted), expected \(Choice.allCases.map(\.rawValue).listed)"))
            return nil
        }
        return choice
    }
}

extension [String] {
    /// The texts in a sentence: `m or ft`.
    var listed: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1]
    }
}
