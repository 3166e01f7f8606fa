/// A setting or section that had another path, or existed, in an earlier version.
package struct Rename: Sendable, Equatable {
    /// The path it had.
    package let old: String
    /// The path it has; nil for a setting that was removed.
    package let new: String?
    /// Why it was removed; nil for one that has another path.
    package var reason: String?

    /// Every rename, of settings and of whole sections, for the problems of old keys and for migrations.
    package static let all = [
        Rename(old: "mqtt.in", new: "lanes.safety.account"),
        Rename(old: "mqtt.motion", new: "lanes.motion.account"),
        Rename(old: "mqtt.bulk", new: "lanes.bulk.account"),
        Rename(old: "mqtt.settleTimeoutSeconds", new: "mqtt.publishTimeoutSeconds"),
        Rename(old: "gateway.evictSeconds", new: "gateway.idleStateSeconds"),
        Rename(old: "gateway.acknowledgements", new: "gateway.publishCommitted"),
        Rename(old: "gateway.workers", new: nil, reason: "every lane has a thread of its own"),
        Rename(old: "derive.pose", new: "derive.headPose"),
        Rename(old: "derive.headphone", new: "derive.connection.headphone"),
        Rename(old: "derive.device", new: "derive.connection.device"),
    ]

    /// The renames of single settings, those of sections taken apart.
    package static let settings = all.flatMap { rename -> [Rename] in
        guard let new = rename.new, ConfigurationReference.sections.contains(new) else { return [rename] }
        return ConfigurationReference.settings.filter { $0.path.hasPrefix("\(new).") }.map {
            Rename(old: rename.old + $0.path.dropFirst(new.count), new: $0.path)
        }
    }

    /// The renames of single settings, by their old path.
    static let byPath = Dictionary(uniqueKeysWithValues: settings.map { ($0.old, $0) })
    /// The same by the old environment variable.
    static let byVariable = Dictionary(uniqueKeysWithValues: settings.map { (Setting.environmentName(of: $0.old), $0) })
    /// The renames of whole sections, by their old path.
    static let bySection = Dictionary(
        uniqueKeysWithValues: all.filter { byPath[$0.old] == nil }.map { ($0.old, $0) })

    /// What is wrong with the old name, as the rest of a sentence that starts with it; `name` is the new setting's path or variable.
    func message(_ name: (Setting) -> String) -> String {
        guard let new else { return "is no longer a setting" + (reason.map { ": \($0)" } ?? "") }
        return "is now \(ConfigurationReference.byPath[new].map(name) ?? new)"
    }
}
