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
        guard registry.devices[device.id] == nil else { throw SetupError("\(device.id) is in \(name) already") }
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
        guard registry.devices[id] != nil else { throw SetupError("\(id) is not in \(name)") }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let advice = "remove \"\(id)\" below \"devices:\""
        guard let section = lines.firstIndex(where: Self.isDevices), let indent = Self.indent(of: lines[(section + 1)...]),
            let start = lines[(section + 1)...].firstIndex(where: { Self.key(of: $0, indent: indent) == id })
        else { throw byHand(advice) }
        let end = lines[(start + 1)...].firstIndex { !Self.isBlank($0) && Self.width($0) <= indent } ?? lines.endIndex
        let last = lines[start..<end].lastIndex { !Self.isBlank($0) } ?? start
        lines.removeSubrange(start...last)
        var expected = registry
        expected.devices[id] = nil
        return try checked(lines, against: expected, otherwise: advice)
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

    /// Replaces the file in one step by what `edit` makes of it.
    package func change(_ edit: (RegistryText) throws(SetupError) -> String) throws(SetupError) {
        try Files.replace(path, with: try edit(text))
    }
}
