import TelemetryModel

/// Reads a rule from the producers file.
extension PresenceRule {
    private static let keys = [
        "name", "preset", "topic", "device", "devices", "pointer", "online", "offline", "ignored", "strip",
    ]

    /// Reads one table; nil, and at least one problem, when it is invalid.
    init?(_ table: ConfigurationTree, problems: inout [TreeProblem]) {
        var found: [TreeProblem] = []
        defer { problems += found }
        table.expectKeys(Self.keys, problems: &found)
        guard case .table = table.value else { return nil }
        let name = table.text("name", problems: &found)
        let preset: PresencePreset? = table["preset"] == nil ? nil : table.choice("preset", problems: &found)
        let topics = Self.topics(table, preset, problems: &found)
        let subject = Self.subject(table, topics, problems: &found)
        let pointer = table.pointer("pointer", problems: &found) ?? preset?.pointer.flatMap(JSONPointer.init)
        let online = table.texts("online", problems: &found) ?? preset?.online ?? []
        let offline = table.texts("offline", problems: &found) ?? preset?.offline ?? []
        let ignored = table.texts("ignored", problems: &found) ?? preset?.ignored ?? []
        for (key, words) in [("online", online), ("offline", offline)] where words.isEmpty {
            found.append(table.problem("needs a word for \(key), such as \(key): [\(key)]"))
        }
        let words = online + offline + ignored
        if let twice = words.first(where: { word in words.count { $0 == word } > 1 }) {
            found.append(table.problem("uses the word \(twice.quoted) twice"))
        }
        let strips: Flag? = table.choice("strip", or: preset?.strips == true ? .true : .false, problems: &found)
        guard found.isEmpty, let name, !topics.isEmpty else { return nil }
        self.init(
            name: name, topics: topics, subject: subject, pointer: pointer, online: Set(online), offline: Set(offline),
            ignored: Set(ignored), strips: strips == .true)
    }

    private enum Flag: String, CaseIterable { case `true`, `false` }

    private static func topics(
        _ table: ConfigurationTree, _ preset: PresencePreset?, problems: inout [TreeProblem]
    ) -> [TopicFilter] {
        guard let texts = table.texts("topic", problems: &problems) else {
            if preset == nil, table["topic"] == nil {
                let known = PresencePreset.allCases.map(\.rawValue).listed
                problems.append(table.problem("needs a topic, or a preset: \(known)"))
            }
            return preset?.topics.map { TopicFilter($0) } ?? []
        }
        let topics = texts.map { TopicFilter($0) }
        for fault in topics.compactMap(\.fault) { problems.append(table.wrong("topic", fault)) }
        if texts.isEmpty { problems.append(table.wrong("topic", "is an empty list")) }
        return topics
    }

    private static func subject(
        _ table: ConfigurationTree, _ topics: [TopicFilter], problems: inout [TreeProblem]
    ) -> Subject? {
        let given = ["device", "devices"].filter { table[$0] != nil }
        guard let key = given.first else {
            if !topics.allSatisfy({ $0.names.contains("device") }) {
                problems.append(table.wrong("topic", "has no level {device}, and neither device nor devices is given"))
            }
            return nil
        }
        if given.count > 1 { problems.append(table.wrong("devices", "is given, and device too")) }
        if topics.contains(where: { $0.names.contains("device") }) {
            problems.append(table.wrong(key, "is given, and the topic has a level {device} too"))
        }
        return key == "device" ? device(table, problems: &problems) : bridge(table, problems: &problems)
    }

    private static func device(_ table: ConfigurationTree, problems: inout [TreeProblem]) -> Subject? {
        guard let text = table.text("device", problems: &problems) else { return nil }
        guard let device = DeviceID(text) else {
            problems.append(table.wrong("device", "must be 1 to 64 of A-Z, a-z, 0-9, _ and -, is \(text.quoted)"))
            return nil
        }
        return .device(device)
    }

    private static func bridge(_ table: ConfigurationTree, problems: inout [TreeProblem]) -> Subject? {
        guard let texts = table.texts("devices", problems: &problems) else { return nil }
        guard let group = DeviceGroup(texts), !texts.isEmpty else {
            problems.append(table.wrong("devices", "must be device ids, or what they begin with and a *, as pool-*"))
            return nil
        }
        return .bridge(group)
    }
}
