@testable import GatewayConfiguration
@testable import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Rules of alarms in a configuration")
struct AlarmRulesTests {
    private func load(
        _ yaml: String, environment: [String: String] = [:], overrides: [String] = []
    ) async throws -> (alarms: AlarmSettings, problems: [String]) {
        try await TestFiles.withFolder(["fathom.yaml": yaml]) { folder in
            let file = "\(folder)/fathom.yaml"
            let (configuration, problems) = GatewayConfiguration.load(file: file, environment: environment, overrides: overrides)
            return (configuration.derive[AlarmDerivation.self], problems.map { "\($0)".replacing(file, with: "") })
        }
    }

    private func problems(_ rule: String, in more: String = "") async throws -> [String] {
        try await load("\(more)alarms:\n  rules:\n    - \(rule)\n").problems
    }

    @Test("Rules are read with their defaults, and those with the name of a shipped one change only what they give")
    func rules() async throws {
        let (alarms, problems) = try await load(
            """
            alarms:
              keepSeconds: 60
              rules:
                - name: cold
                  when: {kind: water-temperature, field: temperature, below: 8}
                - name: many
                  when:
                    any:
                      - {kind: access, field: allowed, equals: false}
                      - {kind: "access/{stream}", silent: 600}
                  severity: info
                  devices: [ultra-1, "pool-*"]
                - {name: past-limit, clearSeconds: 30}
                - {name: near-limit, enabled: false}
            """)
        #expect(problems.isEmpty)
        #expect(alarms.keepSeconds == 60)
        #expect(alarms.rules.map(\.name) == ["past-limit", "contact-lost", "refused", "silent", "cold", "many"])
        var limit = AlarmRule.shipped[0]
        limit.clearSeconds = 30
        #expect(alarms.rules[0] == limit)
        var cold = AlarmRule("cold", .warning, [AlarmCondition("water-temperature", "temperature", .below(8))])
        (cold.afterSeconds, cold.clearSeconds) = (0, 10)
        #expect(alarms.rules[4] == cold)
        let many = alarms.rules[5]
        #expect(many.join == .any && many.severity == .info && many.devices == ["ultra-1", "pool-*"])
        #expect(
            many.conditions == [
                AlarmCondition("access/{stream}", "allowed", .oneOf([.text("false")])),
                AlarmCondition("access/{stream}", nil, .silent(600)),
            ])
    }

    @Test("A list in place of the section, the environment and --set give rules too, and what is written can be read")
    func forms() async throws {
        let rule = "{name: cold, when: {kind: water-temperature, field: temperature, below: 8}}"
        let expected = try await load("alarms:\n  rules:\n  - \(rule)\n").alarms
        #expect(expected.written.count == 1)
        for (yaml, environment, overrides) in [
            ("alarms:\n- \(rule)\n", [:], []), ("", ["FATHOM_ALARMS_RULES": "[\(rule)]"], []),
            ("", [:], ["alarms.rules=[\(rule)]"]),
        ] {
            let (alarms, problems) = try await load(yaml, environment: environment, overrides: overrides)
            #expect(problems.isEmpty)
            #expect(alarms == expected)
        }
        let setting = try #require(ConfigurationReference.byPath["alarms.rules"])
        var configuration = GatewayConfiguration()
        #expect(setting.text(configuration) == "[]")
        configuration.derive[AlarmDerivation.self] = expected
        let again = try await load("alarms:\n  rules: \(setting.text(configuration))\n")
        #expect(again.problems.isEmpty && again.alarms == expected)
        let none = try await load("", overrides: ["alarms.rules=[]"])
        #expect(none.problems.isEmpty && none.alarms == AlarmSettings())
        #expect(try await load("", overrides: ["alarms.rules=cold"]).problems == ["--set: alarms.rules: must be a list of rules"])
    }

    private static let wrong: [(rule: String, problem: String)] = [
        (
            "{name: a, when: {kind: depth-stat, field: state, in: [x]}}",
            "when.kind: is \"depth-stat\", which is no kind; did you mean depth-state?"
        ),
        (
            "{name: a, when: {kind: access/submersoin, silent: 5}}",
            "when.kind: is \"access/submersoin\", which is no kind; did you mean access/submersion?"
        ),
        (
            "{name: a, when: {kind: alarm/past-limit, silent: 5}}",
            "when.kind: is alarm/past-limit: no rule is about alarms, as that could be a cycle"
        ),
        ("{name: a, when: {kind: alarm, silent: 5}}", "when.kind: is alarm: no rule is about alarms, as that could be a cycle"),
        (
            "{name: a, when: {kind: depth-state, field: stat, in: [x]}}",
            "when.field: is \"stat\", which is no field of depth-state; did you mean state?"
        ),
        (
            "{name: a, when: {kind: depth-state, field: state, in: [pastMaxDept]}}",
            "when.in[0]: is \"pastMaxDept\", which is no value of state; did you mean pastMaxDepth?"
        ),
        (
            "{name: a, when: {kind: depth-state, field: state, above: 3}}",
            "when.above: needs a field with numbers: state has texts"
        ),
        (
            "{name: a, when: {kind: access, field: allowed, above: 3}}",
            "when.above: needs a field with numbers: allowed has true or false"
        ),
        ("{name: a, when: {kind: depth-state, field: depth, above: deep}}", "when.above: must be a number, is \"deep\""),
        ("{name: a, when: {kind: depth-state, field: depth, in: [1, b]}}", "when.in[1]: is \"b\": depth has numbers"),
        ("{name: a, when: {kind: access, field: allowed, equals: 1}}", "when.equals: is \"1\": allowed is true or false"),
        (
            "{name: a, when: {kind: dive, field: start, above: 3}}",
            "when.field: is start, which is an instant: nothing compares it"
        ),
        (
            "{name: a, when: {kind: dive, field: profile, above: 3}}",
            "when.field: is profile, which is no single value: nothing compares it"
        ),
        ("{name: a, when: {kind: depth-state, silent: 0.5}}", "when.silent: must be a number, 1 to 604800, is \"0.5\""),
        (
            "{name: a, when: {kind: depth-state, field: depth, silent: 5}}",
            "when.field: does nothing with silent, which is about every message of a kind"
        ),
        (
            "{name: a, when: {kind: depth-state, field: depth, above: 5, below: 6}}",
            "when: needs exactly one of in, equals, above, below, silent"
        ),
        ("{name: a, when: {kind: depth-state}}", "when: needs exactly one of in, equals, above, below, silent"),
        ("{name: a, when: {field: depth, above: 3}}", "when: needs a kind"),
        ("{name: a, when: {kind: depth-state, above: 3}}", "when: needs a field, or silent"),
        ("{name: a, when: {kind: depth-state, fields: depth, silent: 3}}", "when.fields: is not a key here; did you mean field?"),
        ("{name: a, when: {all: []}}", "when.all: must be a list of 1 to 8 conditions"),
        ("{name: a, when: {all: [{kind: depth-state, silent: 5}], kind: dive}}", "when.kind: is not a key here"),
        ("{name: a, when: depth-state}", "when: must hold keys and values: kind, field, in, equals, above, below, silent"),
        ("{name: a}", "needs when, as no shipped rule has its name"),
        ("{name: past-limits}", "needs when, as no shipped rule has its name; did you mean past-limit?"),
        ("{name: a b, when: {kind: depth-state, silent: 5}}", "name: must be 1 to 64 of A-Z a-z 0-9 _ -, is \"a b\""),
        ("{when: {kind: depth-state, silent: 5}}", "needs a name"),
        (
            "{name: a, when: {kind: depth-state, silent: 5}, severity: critcal}",
            "severity: is \"critcal\", must be info, warning, critical; did you mean critical?"
        ),
        (
            "{name: a, when: {kind: depth-state, silent: 5}, afterSeconds: -1}",
            "afterSeconds: must be a number, 0 to 86400, is \"-1\""
        ),
        ("{name: a, when: {kind: depth-state, silent: 5}, clearSeconds: [1]}", "clearSeconds: must be a number, 0 to 86400"),
        (
            "{name: a, when: {kind: impact, field: peakAcceleration, above: 5}, afterSeconds: 1}",
            "afterSeconds: must be 0: impact is an event, which holds for its instant"
        ),
        (
            "{name: a, when: {kind: depth-state, silent: 5}, devices: []}",
            "devices: lists no device: without devices a rule is about all"
        ),
        (
            "{name: a, when: {kind: depth-state, silent: 5}, devices: [a/b]}",
            "devices[0]: must be an id of 1 to 64 of A-Z a-z 0-9 _ -, in which * stands for any characters"
        ),
        ("{name: a, when: {kind: depth-state, silent: 5}, enabled: perhaps}", "enabled: must be true or false"),
        ("{name: a, when: {kind: depth-state, silent: 5}, severty: info}", "severty: is not a key here; did you mean severity?"),
        (
            "{name: a, when: {all: [{kind: depth-state, silent: 5}, {kind: pace, silent: 5}]}}",
            "when.all: has conditions on kinds of several lanes, depth-state of safety, pace of motion: a rule is in one lane"
        ),
        (
            "{name: a, when: {any: [{kind: depth-state, silent: 5}, {kind: access, silent: 5}]}}",
            "when.all: ".replacing("all", with: "any")
                + "has conditions on access/{stream}, which leads to an alarm for each of several, and on others: name one of them, as access/submersion, or access/{stream} alone"
        ),
    ]

    @Test("Each wrong rule is one problem with its place, the reason and the nearest name", arguments: wrong)
    func problems(rule: String, problem: String) async throws {
        let path = problem.prefix { $0 != ":" }.contains(" ") ? "" : "."
        let separator = path.isEmpty ? ": " : "."
        #expect(try await problems(rule) == [":3: alarms.rules[0]\(separator)\(problem)"])
    }

    @Test("A rule that is well in every part is no problem")
    func allowed() async throws {
        for rule in [
            "{name: a, when: {all: [{kind: depth-state, silent: 5}, {kind: water-temperature, silent: 5}]}}",
            "{name: a, when: {all: [{kind: access/submersion, field: allowed, equals: true}, {kind: depth-state, silent: 5}]}}",
            "{name: a, when: {kind: gap, field: expected, above: 100}}", "{name: a, when: {kind: stroke, silent: 5}}",
            "{name: a, when: {kind: session/water, field: dives, above: 3}, afterSeconds: 3}",
            "{name: a, when: {kind: connection/device, field: state, in: [disconnected]}}",
            "{name: a, when: {kind: usage, field: refused, above: 0}}",
        ] { #expect(try await problems(rule).isEmpty, "\(rule)") }
    }

    @Test("A name that is used twice, more rules than are read, and a kind that is off are problems with a place")
    func others() async throws {
        let rule = "{name: a, when: {kind: depth-state, silent: 5}}"
        #expect(
            try await problems("\(rule)\n    - \(rule)") == [
                ":4: alarms.rules[1].name: is a, the name of another rule, of line 3"
            ])
        let many = (0...AlarmRule.most).map { "\n    - {name: a\($0), when: {kind: depth-state, silent: 5}}" }.joined()
        #expect(
            try await load("alarms:\n  rules:\(many)\n").problems == [":2: alarms.rules: lists 1001 rules, at most 1000 are read"]
        )
        let off = "derive:\n  swing: {enabled: false}\n"
        #expect(
            try await problems("{name: a, when: {kind: swing, silent: 5}}", in: off) == [
                ":5: alarms.rules[0].when.kind: is swing, which is not derived: derive.swing.enabled is false"
            ])
        #expect(try await problems("{name: past-limit, severity: info}", in: "derive:\n  depth: {enabled: false}\n").isEmpty)
    }

    @Test("A thousand rules are read")
    func thousand() async throws {
        let many = (0..<AlarmRule.most).map { "\n    - {name: a\($0), when: {kind: depth-state, silent: 5}}" }.joined()
        let (alarms, problems) = try await load("alarms:\n  rules:\(many)\n")
        #expect(problems.isEmpty && alarms.written.count == AlarmRule.most)
    }

    @Test("Every kind that has one topic is derived in one lane, or says that it is not")
    func lanes() {
        for kind in KindDescription.all where !Alarm.covers(kind.name) {
            let paths =
                kind.name.contains("{") ? KindDescription.paths.filter { $0 != kind.name && kind.covers($0) } : [kind.name]
            for path in paths where !AlarmCondition.isParted(path) && !path.hasPrefix("usage/") {
                #expect(GatewayConfiguration.Lanes.Name.all(of: path).count == 1, "\(path)")
            }
        }
    }
}
