internal import GatewayPipeline
internal import Yams

/// Reads values from a file, the environment and the command line into a configuration, and records the source of each.
struct ConfigurationReader {
    /// Where a setting's value was written.
    struct Origin {
        let source: ConfigurationProblem.Source
        let line: Int?
        /// How many values were written before it.
        var order = 0
    }

    private(set) var configuration = GatewayConfiguration()
    private(set) var origins: [String: Origin] = [:]
    private(set) var problems: [ConfigurationProblem] = []
    private var written = 0
    /// The kinds that rules of alarms name, and where.
    private var kinds: [(named: AlarmRuleReader.NamedKind, source: ConfigurationProblem.Source)] = []

    /// Reads a file. It must be called before the other sources are read, as it sorts the problems by line.
    mutating func read(file: String) {
        var reader = YAMLReader(.file(file))
        do throws(SettingFault) {
            if let root = reader.root(of: try TextFile.read(file)) { read(root, at: "", with: &reader) }
        } catch {
            reader.report("", line: nil, error.message)
        }
        problems += reader.problems
        problems.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    mutating func read(environment: [String: String]) {
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("FATHOM_") {
            if Self.otherVariables.contains(name) { continue }
            if let setting = ConfigurationReference.byVariable[name] {
                set(setting, SettingInput(text: value, form: .flat), Origin(source: .environment(name), line: nil))
            } else {
                let hint = NearestKey.hint(for: name, in: ConfigurationReference.byVariable.keys)
                problems.append(ConfigurationProblem("", source: .environment(name), "names no setting\(hint)"))
            }
        }
    }

    mutating func read(overrides: [String]) {
        for override in overrides {
            let parts = override.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count < 2 {
                problems.append(
                    ConfigurationProblem(YAMLReader.printable(override), source: .override, "must be written KEY=VALUE"))
            } else if let setting = ConfigurationReference.byPath[parts[0]] {
                set(setting, SettingInput(text: parts[1], form: .flat), Origin(source: .override, line: nil))
            } else {
                problems.append(ConfigurationProblem(YAMLReader.printable(parts[0]), source: .override, Self.unknown(parts[0])))
            }
        }
    }

    /// Variables that are no settings: the name of the configuration file, those of commands that `fathom notify` runs, which may run
    /// `fathom`, and what makes a debug build fail at a certain place.
    private static let otherVariables: Set<String> = {
        let names = Set(AlarmVariable.allCases.map(\.name)).union(["FATHOM_CONFIG"])
        #if DEBUG
            return names.union(["FATHOM_FAULT", "FATHOM_POISON"])
        #else
            return names
        #endif
    }()

    /// Checks the rules between settings, and that files can be read. Reads the password files.
    mutating func finish() {
        checkKinds()
        let wrong = Set(problems.map(\.keyPath))
        for rule in ConfigurationRule.all where wrong.isDisjoint(with: rule.paths) && rule.isBroken(configuration) {
            // The problem is reported for the setting that was written last.
            let path = rule.paths.max { (origins[$0]?.order ?? 0) < (origins[$1]?.order ?? 0) } ?? ""
            report(path, rule.message(path))
        }
        configuration.placePartitions()
        for setting in ConfigurationReference.settings where setting.location == .readable {
            guard let path = setting.filePath(configuration), !TextFile.isReadable(path) else { continue }
            let reason = TextFile.isMissing(path) ? "does not exist" : "cannot be read"
            reportCredential(setting.path, "names \(path.debugDescription), which \(reason)", in: path)
        }
        for account in GatewayConfiguration.Account.allCases {
            guard let file = configuration[account].passwordFile, configuration[account].password == nil else { continue }
            configuration[account].password = password(in: file, at: account.path)
        }
        if let file = configuration.keyValue.passwordFile, configuration.keyValue.password == nil {
            configuration.keyValue.password = password(in: file, at: "keyValue")
        }
    }

    /// The password files of programs beside the gateway that are missing: none of them keeps the gateway from running.
    var problemsOfOthers: [ConfigurationProblem] {
        let passwords = GatewayConfiguration.Account.others.map { ("\($0.path).passwordFile", configuration[$0].passwordFile) }
        let tokens = [
            ("page.tokenFile", configuration.page.tokenFile), ("page.operatorTokenFile", configuration.page.operatorTokenFile),
        ]
        var problems = (passwords + tokens).compactMap { path, file -> ConfigurationProblem? in
            guard let file, TextFile.isMissing(file) else { return nil }
            let origin = origin(of: path)
            return ConfigurationProblem(
                path, line: origin.line, source: origin.source, concernsConnectionsOnly: true,
                Self.unreadable(file, "does not exist"))
        }
        if let folder = configuration.notify.stateDirectory, folder == configuration.gateway.stateDirectory {
            let path = "notify.stateDirectory"
            let origin = origin(of: path)
            problems.append(
                ConfigurationProblem(
                    path, line: origin.line, source: origin.source,
                    "is gateway.stateDirectory: fathom notify needs a folder of its own"))
        }
        return problems
    }

    private func origin(of path: String) -> Origin { origins[path] ?? Origin(source: .defaults, line: nil) }

    private mutating func read(_ node: Node, at path: String, with reader: inout YAMLReader) {
        for entry in reader.entries(of: node, at: path) ?? [] {
            if let setting = ConfigurationReference.byPath[entry.path] ?? rules(entry) {
                if setting.setTree != nil {
                    set(setting, reader.tree(of: entry.value, at: entry.path, line: entry.line), reader.source)
                    continue
                }
                guard let input = SettingInput(entry.value, isList: setting.isList) else {
                    reader.report(entry.path, line: entry.line, "must be \(setting.type), is \(YAMLReader.kind(of: entry.value))")
                    continue
                }
                set(setting, input, Origin(source: reader.source, line: entry.line))
            } else if ConfigurationReference.sections.contains(entry.path) {
                if !isEmpty(entry.value) { read(entry.value, at: entry.path, with: &reader) }
            } else {
                reader.report(YAMLReader.printable(entry.path), line: entry.line, Self.unknown(entry.path))
            }
        }
    }

    /// The setting of a section that is written as a list: its rules.
    private func rules(_ entry: YAMLReader.Entry) -> Setting? {
        guard case .sequence = entry.value else { return nil }
        return ConfigurationReference.byPath["\(entry.path).rules"]
    }

    private mutating func set(_ setting: Setting, _ tree: ConfigurationTree, _ source: ConfigurationProblem.Source) {
        written += 1
        origins[setting.path] = Origin(source: source, line: tree.line, order: written)
        guard let (found, named) = setting.setTree?(&configuration, tree) else { return }
        problems += found.map { ConfigurationProblem($0.path, line: $0.line, source: source, $0.message) }
        kinds = named.map { ($0, source) }
    }

    /// The content of a setting that is written as YAML in a text.
    private mutating func tree(_ input: SettingInput, of setting: Setting, _ source: ConfigurationProblem.Source)
        -> ConfigurationTree?
    {
        var reader = YAMLReader(source)
        // Nothing is an empty list, as in every setting that is a list.
        let root = reader.root(of: input.text) ?? (reader.problems.isEmpty ? reader.root(of: "[]") : nil)
        let tree = root.map { reader.tree(of: $0, at: setting.path, line: nil) }
        problems += reader.problems.map {
            ConfigurationProblem($0.keyPath.isEmpty ? setting.path : $0.keyPath, line: $0.line, source: source, $0.message)
        }
        return tree
    }

    /// Reports the kinds that rules of alarms name though they are not derived.
    private mutating func checkKinds() {
        for (named, source) in kinds where configuration.derive.isSwitchedOff(named.kind) {
            let sections = Derivations.declarations.filter { $0.publishes(named.kind) }.map(\.section)
            problems.append(
                ConfigurationProblem(
                    named.place.path, line: named.place.line, source: source,
                    "is \(named.kind), which is not derived: \(sections.joined(separator: " and ")).enabled is false"))
        }
    }

    private func isEmpty(_ section: Node) -> Bool { section.scalar.map { SettingInput($0).isNull(forText: false) } ?? false }

    private mutating func set(_ setting: Setting, _ input: SettingInput, _ origin: Origin) {
        if setting.setTree != nil {
            if let tree = tree(input, of: setting, origin.source) { set(setting, tree, origin.source) }
            return
        }
        written += 1
        origins[setting.path] = Origin(source: origin.source, line: origin.line, order: written)
        var input = input
        if setting.location != nil, case .file(let file) = origin.source, !input.isNull(forText: true), !input.text.isEmpty {
            input = SettingInput(text: TextFile.resolve(input.text, besides: file), form: .quoted)
        }
        do throws(SettingFault) {
            try setting.set(&configuration, input)
        } catch {
            report(setting.path, error.message)
        }
    }

    /// The password in the file of a section's `passwordFile`; nil, and a problem, where there is none.
    private mutating func password(in file: String, at section: String) -> Secret? {
        let path = "\(section).passwordFile"
        do throws(SettingFault) {
            return try Secret.read(file)
        } catch {
            reportCredential(path, Self.unreadable(file, error.message), in: file)
            return nil
        }
    }

    /// What is wrong with a password file, and what to do.
    static func unreadable(_ file: String, _ reason: String) -> String {
        "names \(file.debugDescription), which \(reason): it has to hold the password of the account in one line, as the files in secrets/ of "
            + "'fathom init' do"
    }

    /// Reports a file that is read only for connecting to the broker.
    private mutating func reportCredential(_ path: String, _ message: String, in file: String) {
        report(
            path, message, concernsConnectionsOnly: true, dependsOnUser: !TextFile.isReadable(file) && !TextFile.isMissing(file))
    }

    private mutating func report(
        _ path: String, _ message: String, concernsConnectionsOnly: Bool = false, dependsOnUser: Bool = false
    ) {
        let origin = origins[path] ?? Origin(source: .defaults, line: nil)
        problems.append(
            ConfigurationProblem(
                path, line: origin.line, source: origin.source, concernsConnectionsOnly: concernsConnectionsOnly,
                dependsOnUser: dependsOnUser, message))
    }

    private static func unknown(_ path: String) -> String {
        if ConfigurationReference.sections.contains(path) { return "is a section: name one of its settings" }
        let keys = ConfigurationReference.byPath.keys.map(\.self) + ConfigurationReference.sections
        return "is not a setting\(NearestKey.hint(for: path, in: keys))"
    }
}
