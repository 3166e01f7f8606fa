import GatewayPipeline
import TelemetryModel

internal import Yams

extension Registry {
    /// Reads a registry file.
    ///
    /// - Returns: The registry, nil if there is any problem, and every problem at once. An empty file is a problem: it is more likely
    ///   half written than meant to revoke every device.
    package static func load(file: String) -> (registry: Registry?, problems: [ConfigurationProblem]) {
        do throws(SettingFault) {
            return load(text: try TextFile.read(file), name: file)
        } catch {
            return (nil, [ConfigurationProblem("", source: .file(file), error.message)])
        }
    }

    /// Reads a registry from the text of a file.
    ///
    /// - Parameter name: What problems call the file.
    package static func load(
        text: String, name: String = "registry.yaml"
    ) -> (registry: Registry?, problems: [ConfigurationProblem]) {
        var reader = RegistryReader(.file(name))
        let registry = reader.read(text)
        return (reader.problems.isEmpty ? registry : nil, reader.problems)
    }
}

/// Reads the nodes of a registry file.
private struct RegistryReader {
    private var yaml: YAMLReader
    var problems: [ConfigurationProblem] { yaml.problems }

    init(_ source: ConfigurationProblem.Source) { yaml = YAMLReader(source) }

    mutating func read(_ text: String) -> Registry {
        var registry = Registry()
        guard let root = yaml.root(of: text), !isNull(root) else {
            if problems.isEmpty { yaml.report("", line: nil, "is empty") }
            return registry
        }
        for entry in yaml.entries(of: root, at: "") ?? [] {
            switch entry.key {
            case "unknownDevices": registry.unknownDevices = value(entry) ?? .deny
            case "defaults": registry.defaults = policy(entry, isDefault: true)
            case "devices": registry.devices = devices(entry)
            default: unknown(entry, among: ["unknownDevices", "defaults", "devices"])
            }
        }
        return registry
    }

    private mutating func devices(_ section: YAMLReader.Entry) -> [String: RegistryEntry] {
        guard !isNull(section.value) else { return [:] }
        var devices: [String: RegistryEntry] = [:]
        var senders: [[String]: String] = [:]
        for entry in yaml.entries(of: section.value, at: section.path) ?? [] {
            guard Identifier(entry.key) != nil else {
                yaml.report(
                    section.path, line: entry.line, "has an id that is not 1 to 64 of A-Z a-z 0-9 _ -: \(Self.shown(entry.key))")
                continue
            }
            var policy = policy(entry)
            policy.entitlementIsExplicit = policy.entitlement != nil
            if let from = policy.from {
                if let other = senders[[from.topic, from.id]] {
                    yaml.report("\(entry.path).from", line: from.line, "names the topic and the id of \(other)")
                }
                senders[[from.topic, from.id]] = entry.key
            }
            devices[entry.key] = policy
        }
        return devices
    }

    private mutating func policy(_ section: YAMLReader.Entry, isDefault: Bool = false) -> RegistryEntry {
        var policy = RegistryEntry()
        guard !isNull(section.value) else { return policy }
        for entry in yaml.entries(of: section.value, at: section.path) ?? [] {
            switch entry.key {
            case "streams": policy.streams = streams(entry)
            case "available": policy.available = availability(entry)
            case "authorization": policy.authorization = value(entry)
            case "entitlement": entitlements(entry, of: &policy)
            case "session": policy.session = value(entry)
            case "wrist": policy.wrist = value(entry)
            case "model": policy.model = value(entry)
            case "os": policy.os = value(entry)
            case "trustDeviceClaims": policy.trustDeviceClaims = value(entry)
            case "consent": policy.consent = consents(entry)
            case "timeZone": policy.timeZone = timeZone(entry)
            case "revoked" where !isDefault: policy.revoked = value(entry)
            case "from" where !isDefault: policy.from = sender(entry)
            default: unknown(entry, among: Self.policyKeys + (isDefault ? [] : ["from", "revoked"]))
            }
        }
        return policy
    }

    private static let policyKeys = [
        "streams", "available", "authorization", "entitlement", "session", "wrist", "model", "os", "trustDeviceClaims",
        "consent", "timeZone",
    ]

    /// The name in `entitlement` of what is no depth.
    private static let movementDisorder = "movementDisorder"

    /// Reads one depth, or a list of a depth and others.
    private mutating func entitlements(_ section: YAMLReader.Entry, of policy: inout RegistryEntry) {
        guard case .sequence = section.value else {
            policy.entitlement = value(section)
            return
        }
        let known = RegistryEntry.Entitlement.allCases.map(\.rawValue) + [Self.movementDisorder]
        guard let names = names(section, among: known, "a list of entitlements", "no entitlement") else { return }
        let depths = names.compactMap(RegistryEntry.Entitlement.init(rawValue:))
        if depths.count > 1 { yaml.report(section.path, line: section.line, "lists more than one depth") }
        policy.entitlement = depths.first
        policy.movementDisorder = names.contains(Self.movementDisorder)
    }

    private mutating func timeZone(_ entry: YAMLReader.Entry) -> String? {
        guard let name: String = value(entry) else { return nil }
        if !LocalNoon.isKnown(name) {
            yaml.report(entry.path, line: entry.line, "is \(Self.shown(name)), which is no time zone that this system knows")
        }
        return name
    }

    private mutating func sender(_ section: YAMLReader.Entry) -> RegistryEntry.From? {
        var texts: [String: String] = [:]
        var standardised: RegistryEntry.Standardised?
        let required = ["producer", "topic", "id"]
        guard let entries = yaml.entries(of: section.value, at: section.path) else { return nil }
        for entry in entries {
            switch entry.key {
            case "standardised": standardised = value(entry)
            case let key where required.contains(key): texts[key] = value(entry) ?? ""
            default: unknown(entry, among: required + ["standardised"])
            }
        }
        for key in required where texts[key] == nil { yaml.report(section.path, line: section.line, "has no \(key)") }
        guard let producer = texts["producer"], let topic = texts["topic"], let id = texts["id"] else { return nil }
        if topic.contains(where: { "+#".contains($0) }) {
            yaml.report("\(section.path).topic", line: section.line, "must be one topic, is \(Self.shown(topic))")
        }
        return RegistryEntry.From(
            producer: producer, topic: topic, id: id, standardised: standardised, line: section.line)
    }

    private mutating func availability(_ section: YAMLReader.Entry) -> [Capability: Bool] {
        var availability: [Capability: Bool] = [:]
        for entry in yaml.entries(of: section.value, at: section.path) ?? [] {
            if let capability = Capability(rawValue: entry.key) {
                availability[capability] = value(entry)
            } else {
                unknown(entry, among: Capability.allCases.map(\.rawValue))
            }
        }
        return availability
    }

    private mutating func streams(_ section: YAMLReader.Entry) -> [String]? {
        names(section, among: Registry.streamNames, "a list of streams", "not a stream")
    }

    private mutating func consents(_ section: YAMLReader.Entry) -> [String]? {
        names(section, among: RegistryEntry.consents, "a list of what is consented to", "nothing that can be consented to")
    }

    private mutating func names(
        _ section: YAMLReader.Entry, among known: [String], _ kind: String, _ fault: String
    ) -> [String]? {
        guard case .sequence(let nodes) = section.value else {
            yaml.report(section.path, line: section.line, "must be \(kind), is \(YAMLReader.kind(of: section.value))")
            return nil
        }
        var names: [String] = []
        for node in nodes {
            let name = node.scalar?.string ?? ""
            if !known.contains(name) {
                let hint = NearestKey.hint(for: name, in: known)
                let advice = hint.isEmpty ? "; there are \(known.joined(separator: ", "))" : hint
                yaml.report(
                    section.path, line: node.mark?.line, "lists \(Self.shown(name)), which is \(fault)\(advice)")
            } else if names.contains(name) {
                yaml.report(section.path, line: node.mark?.line, "lists \(name) more than once")
            } else {
                names.append(name)
            }
        }
        return names
    }

    private mutating func value<Value: SettingValue>(_ entry: YAMLReader.Entry) -> Value? {
        guard case .scalar(let scalar) = entry.value, !isNull(entry.value) else {
            let kind = isNull(entry.value) ? "null" : YAMLReader.kind(of: entry.value)
            yaml.report(entry.path, line: entry.line, "must be \(Value.kind), is \(kind)")
            return nil
        }
        do throws(SettingFault) {
            return try Value(SettingInput(scalar))
        } catch {
            yaml.report(entry.path, line: entry.line, error.message)
            return nil
        }
    }

    private mutating func unknown(_ entry: YAMLReader.Entry, among keys: [String]) {
        yaml.report(
            YAMLReader.printable(entry.path), line: entry.line,
            "is not a key of the registry\(NearestKey.hint(for: entry.key, in: keys))")
    }

    private func isNull(_ node: Node) -> Bool { node.scalar.map { SettingInput($0).isNull(forText: false) } ?? false }

    private static func shown(_ text: String) -> String { SettingInput(text: text, form: .quoted).shown }
}
