package import GatewayConfiguration
import TelemetryModel

/// The text of a registry file, in which one device is added or removed; comments and order stay.
package struct RegistryText: Sendable {
    private let text: String
    /// The file, for errors.
    private let name: String
    /// What the text says.
    package let registry: Registry

    /// Throws with every problem of the text: it has to be correct before it is changed.
    package init(_ text: String, name: String) throws(SetupError) {
        let (registry, problems) = Registry.load(text: text, name: name)
        guard let registry else { throw SetupError(problems.map(\.description).joined(separator: "\n")) }
        (self.text, self.name, self.registry) = (text, name, registry)
    }

    /// The text with a device added behind the others.
    package func adding(_ device: NewDevice) throws(SetupError) -> String {
        guard Identifier(device.id) != nil else {
            throw SetupError("\(device.id.debugDescription) is no device id: 1 to 64 of A-Z a-z 0-9 _ -")
        }
        guard registry.devices[device.id] == nil else {
            throw SetupError("\(device.id) is in \(name) already: 'fathom device edit' changes it")
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if let section = lines.firstIndex(where: Self.isDevices) {
            let end = Self.end(of: section, in: lines)
            if lines[section].firstMatch(of: /^devices:\s*(\{\s*\}|null|~)/) != nil { lines[section] = "devices:" }
            let body = lines[section + 1..<end]
            let last = body.lastIndex { !Self.isBlank($0) && Self.width($0) > 0 } ?? section
            lines.insert(String(repeating: " ", count: Self.indent(of: body) ?? 2) + device.yaml, at: last + 1)
        } else {
            while lines.last.map(Self.isBlank) ?? false { lines.removeLast() }
            lines += ["", "devices:", "  \(device.yaml)", ""]
        }
        var expected = registry
        let (single, _) = Registry.load(text: "devices:\n  \(device.yaml)\n")
        expected.devices[device.id] = single?.devices[device.id]
        return try checked(lines, against: expected, otherwise: "add \"\(device.yaml)\" below \"devices:\"")
    }

    /// The text without a device; comments above it stay.
    package func removing(_ id: String) throws(SetupError) -> String {
        try requireKnown(id)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let advice = "remove \"\(id)\" below \"devices:\""
        guard let (place, _) = Self.place(of: id, in: lines) else { throw byHand(advice) }
        lines.removeSubrange(place)
        var expected = registry
        expected.devices[id] = nil
        return try checked(lines, against: expected, otherwise: advice)
    }

    /// The text with what `device` gives set in the device's entry, and the keys `unset` removed from it.
    package func editing(_ device: NewDevice, unset: [String] = []) throws(SetupError) -> String {
        try requireKnown(device.id)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let changes = device.values.map { ($0.key, String?.some($0.yaml)) } + unset.map { ($0, nil) }
        let advice =
            "set "
            + changes.map { key, value in value.map { "\(key): \($0)" } ?? "no \(key)" }.joined(separator: ", ")
            + " of \"\(device.id)\" below \"devices:\""
        for (key, value) in changes {
            guard let (place, indent) = Self.place(of: device.id, in: lines),
                let changed = RegistryLines(Array(lines[place]), indent: indent).setting(key, to: value)
            else { throw byHand(advice) }
            lines.replaceSubrange(place, with: changed)
        }
        var expected = registry
        let (single, _) = Registry.load(text: "devices:\n  \(device.yaml)\n")
        let given = single?.devices[device.id] ?? RegistryEntry()
        for (key, value) in changes { expected.devices[device.id]?.take(key, from: value == nil ? RegistryEntry() : given) }
        return try checked(lines, against: expected, otherwise: advice)
    }

    /// Throws, with the nearest id, where a device is not registered.
    package func requireKnown(_ id: String) throws(SetupError) {
        guard registry.devices[id] == nil else { return }
        throw SetupError("\(id) is not in \(name)\(NearestKey.hint(for: id, in: registry.devices.keys))")
    }

    /// The lines of a device's entry and the blanks in front of its id; nil where they are not found.
    private static func place(of id: String, in lines: [String]) -> (lines: ClosedRange<Int>, indent: Int)? {
        guard let section = lines.firstIndex(where: isDevices), let indent = indent(of: lines[(section + 1)...]),
            let start = lines[(section + 1)...].firstIndex(where: { key(of: $0, indent: indent) == id })
        else { return nil }
        let end = lines[(start + 1)...].firstIndex { !isBlank($0) && width($0) <= indent } ?? lines.endIndex
        let last = lines[start..<end].lastIndex { !isBlank($0) } ?? start
        return (start...last, indent)
    }

    /// The new text, if it says what it should: YAML can be written in ways that lines do not show.
    private func checked(_ lines: [String], against expected: Registry, otherwise advice: String) throws(SetupError) -> String {
        let text = lines.joined(separator: "\n")
        guard Registry.load(text: text, name: name).registry == expected else { throw byHand(advice) }
        return text
    }

    private func byHand(_ advice: String) -> SetupError {
        SetupError("\(name) is written in a way that only its author can change: \(advice) by hand")
    }

    private static func isDevices(_ line: String) -> Bool { line.firstMatch(of: /^devices:(\s|$)/) != nil }

    /// Where the section that begins at a line ends: at the next line that is not indented and no comment.
    private static func end(of section: Int, in lines: [String]) -> Int {
        lines[(section + 1)...].firstIndex { !isBlank($0) && width($0) == 0 && !$0.hasPrefix("#") } ?? lines.endIndex
    }

    private static func indent(of lines: ArraySlice<String>) -> Int? {
        lines.first { !isBlank($0) && !$0.drop { $0 == " " }.hasPrefix("#") }.map(width).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func key(of line: String, indent: Int) -> String? {
        guard width(line) == indent, let match = line.firstMatch(of: /^\s*["']?([A-Za-z0-9_-]+)["']?\s*:/) else { return nil }
        return String(match.1)
    }

    private static func isBlank(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }

    private static func width(_ line: String) -> Int { line.prefix { $0 == " " }.count }
}

/// A registry file and what it says.
package struct RegistryFile: Sendable {
    package let path: String
    package let text: RegistryText

    /// Reads a file; throws with every problem of it.
    package init(_ path: String) throws(SetupError) {
        self.path = path
        text = try RegistryText(try Files.read(path), name: path)
    }

    /// Calls `body` with a file that no other command changes meanwhile, nor the accounts beside it.
    package static func locked<Result>(
        _ path: String, _ accounts: AccountFolder?, _ body: (RegistryFile) throws(SetupError) -> Result
    ) throws(SetupError) -> Result {
        let files = [path] + (accounts.map { ["\($0.path)/\(SetupFolder.passwords)"] } ?? [])
        return try FolderLock.hold(files) { () throws(SetupError) in try body(RegistryFile(path)) }
    }

    /// Replaces the file in one step by what `edit` makes of it. It has to be locked.
    package func change(_ edit: (RegistryText) throws(SetupError) -> String) throws(SetupError) {
        try Files.replace(path, with: try edit(text))
    }
}
