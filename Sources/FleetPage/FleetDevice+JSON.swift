import GatewayPipeline
import JSONText
import LiveView
import TelemetryModel

extension FleetDevice {
    /// Writes the device's row of the table, with or without the last minutes, of which a viewer gets later points by the row.
    func encodeRow(_ key: StaticString? = nil, withTrends: Bool = false, into json: inout JSONWriter) {
        json.object(key) { json in
            if withTrends { encodeTrends(into: &json) }
            json.field("id", live.id)
            json.field("role", live.role.name)
            json.seconds("heardAt", heardAt)
            json.field("connection", live.connection)
            json.seconds("connectionAt", live.connectionAt)
            encodeWater(into: &json)
            encodeCells(into: &json)
            encodeFacts(into: &json)
            json.object("latest") { json in
                for (path, latest) in live.latest.sorted(by: { $0.key < $1.key }) where latest.view.showsLatest {
                    json.raw(named: path, latest.fields.json)
                }
            }
            encodeSession(into: &json)
            json.array("refused") { json in
                for (stream, reason) in live.access.refusals.sorted(by: { $0.key < $1.key }) {
                    json.element("\(stream): \(reason)")
                }
            }
            json.array("alarms") { json in for alarm in live.alarms.all { encode(alarm, into: &json) } }
            json.field("error", error)
            json.field("gaps", gaps)
            json.field("rejected", rejected)
            json.field("hasGateway", hasGateway)
            json.field("revision", revision)
        }
    }

    /// Writes the device with its history.
    func encodeAll(into json: inout JSONWriter) {
        json.object { json in
            encodeRow("row", into: &json)
            json.object("plots") { json in
                for (path, plot) in plots.sorted(by: { $0.key < $1.key }) {
                    json.object(named: path) { json in
                        json.field("fields", plot.fields)
                        json.field("unit", plot.unit)
                        json.array("at") { json in for at in plot.at.elements { json.element(at) } }
                        json.array("valid") { json in for isValid in plot.isValid.elements { json.element(isValid ? 1 : 0) } }
                        json.array("values") { json in
                            for column in plot.values {
                                json.array { json in for value in column.elements { json.element(value) } }
                            }
                        }
                    }
                }
            }
            json.object("messages") { json in
                for (path, kept) in messages.sorted(by: { $0.key < $1.key }) {
                    json.array(named: path) { json in for message in kept.elements { json.element(raw: message) } }
                }
            }
            json.array("timeline") { json in for entry in timeline.elements { entry.encode(into: &json) } }
        }
    }

    private func encodeTrends(into json: inout JSONWriter) {
        json.object("trends") { json in
            for (path, trend) in trends.sorted(by: { $0.key < $1.key }) {
                json.array(named: path) { json in
                    for (at, value) in trend.elements {
                        json.array { json in
                            json.element(at)
                            json.element(value)
                        }
                    }
                }
            }
        }
    }

    private func encodeWater(into json: inout JSONWriter) {
        let water = live.water
        guard let zone = water.zone else { return json.null("water") }
        json.object("water") { json in
            json.field("state", zone.name)
            json.field("zone", zone.rawValue)
            json.field("depth", water.depth)
            json.field("maximumDepth", water.maximumDepth)
            json.field("quality", water.validity.isValid ? "valid" : water.isDoubtful ? "fault" : "stale")
            json.seconds("at", water.validity.at)
            json.seconds("validUntil", water.validity.validUntil)
            json.seconds("since", water.zoneSince)
            json.seconds("underWaterSince", water.underWaterSince)
            json.field("deepest", water.deepest)
            json.field("wasTooDeep", water.wasTooDeep)
            if let known = water.known {
                json.object("known") { json in
                    json.field("state", known.zone.name)
                    json.field("zone", known.zone.rawValue)
                    json.field("depth", known.depth)
                    json.seconds("at", known.at)
                }
            } else {
                json.null("known")
            }
        }
    }

    /// Writes the cells of each column, those of the greatest precedence first, each as it is while current and as it is afterwards.
    private func encodeCells(into json: inout JSONWriter) {
        let shown = live.latestByPrecedence.filter { $0.view.cell != nil }
        let columns = Dictionary(grouping: shown) { $0.view.cell?.column.name ?? "" }
        json.object("cells") { json in
            for (column, cells) in columns.sorted(by: { $0.key < $1.key }) {
                json.array(named: column) { json in for cell in cells { encode(cell, into: &json) } }
            }
        }
    }

    private func encode(_ latest: LiveDevice.Latest, into json: inout JSONWriter) {
        guard let cell = latest.view.cell else { return }
        var fields = latest.fields
        let now = cell.parts(fields)
        fields.isCurrent = false
        let was = latest.expires ? cell.parts(fields) : now
        guard now != [] || was != [] else { return }
        let validity = live.validity(of: latest)
        json.object { json in
            json.field("precedence", latest.view.precedence)
            json.field("label", cell.label)
            json.array("now") { json in for part in now { part.encode(into: &json) } }
            json.array("was") { json in for part in was { part.encode(into: &json) } }
            json.field("quality", validity.isValid ? "valid" : "stale")
            json.seconds("validUntil", validity.validUntil)
        }
    }

    /// Writes the facts below each heading; of those that are the same one.
    private func encodeFacts(into json: inout JSONWriter) {
        var headings: [(heading: String, facts: [(name: String, parts: [ShownPart], validity: Validity)])] = []
        for latest in live.latestByPrecedence {
            for case .facts(let heading, let facts) in latest.view.details {
                let index = headings.firstIndex { $0.heading == heading } ?? headings.endIndex
                if index == headings.endIndex { headings.append((heading, [])) }
                for fact in facts(latest.fields) where fact.parts.contains(where: { !$0.isEmpty }) {
                    if !headings[index].facts.contains(where: { ($0.name, $0.parts) == fact }) {
                        headings[index].facts.append((fact.name, fact.parts, live.validity(of: latest)))
                    }
                }
            }
        }
        json.array("facts") { json in
            for (heading, facts) in headings where !facts.isEmpty {
                json.object { json in
                    json.field("heading", heading)
                    json.array("facts") { json in
                        for fact in facts {
                            json.object { json in
                                json.field("name", fact.name)
                                json.array("parts") { json in for part in fact.parts { part.encode(into: &json) } }
                                json.field("quality", fact.validity.isValid ? "valid" : "stale")
                                json.seconds("validUntil", fact.validity.validUntil)
                            }
                        }
                    }
                }
            }
        }
    }

    private func encode(_ alarm: ShownAlarm, into json: inout JSONWriter) {
        json.object { json in
            json.field("alarm", alarm.level)
            json.field("severity", alarm.severity.rawValue)
            json.field("state", alarm.state.rawValue)
            json.seconds("since", alarm.since)
            json.seconds("clearedAt", alarm.clearedAt)
            json.field("reason", alarm.reason)
            json.field("acknowledgedBy", alarm.acknowledgedBy)
            json.seconds("acknowledgedAt", alarm.acknowledgedAt)
            json.field("count", alarm.count)
        }
    }

    private func encodeSession(into json: inout JSONWriter) {
        guard let session = live.session else { return json.null("session") }
        json.object("session") { json in
            json.field("activity", session.activity)
            json.field("state", session.state)
            json.seconds("start", session.start)
            json.seconds("end", session.end)
        }
    }
}

extension ShownPart {
    fileprivate var isEmpty: Bool { if case .text("", _) = self { true } else { false } }

    /// Writes the part: its class, and its text or an instant with how it is shown.
    fileprivate func encode(into json: inout JSONWriter) {
        json.array { json in
            switch self {
            case .text(let text, let tone):
                json.element(tone.className)
                json.element(text)
            case .since(let at, let tone):
                json.element(tone.className)
                json.element(at)
                json.element("since")
            case .clock(let at):
                json.element("")
                json.element(at)
                json.element("clock")
            case .moment(let at):
                json.element("")
                json.element(at)
                json.element("moment")
            }
        }
    }
}

extension Tone {
    /// The class of the page's style sheet.
    fileprivate var className: String { self == .plain ? "" : "\(self)" }
}
