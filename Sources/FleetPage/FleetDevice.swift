import GatewayPipeline
import LiveView
import TelemetryModel

/// One device: its state, and a bounded part of its history.
struct FleetDevice: Sendable {
    /// Fields of a kind over time, a column for each.
    struct Plot: Sendable {
        let fields: [String]
        /// The unit of the first; nil where it has none.
        let unit: String?
        fileprivate(set) var at: Ring<Double>
        fileprivate(set) var isValid: Ring<Bool>
        fileprivate(set) var values: [Ring<Double?>]
    }

    private(set) var live: LiveDevice
    /// When the last message about data of the device was received, unix seconds.
    private(set) var heardAt: Double?
    /// When the page received the last message.
    private(set) var touchedAt = 0.0
    private(set) var gaps = 0
    private(set) var rejected = 0
    /// Whether a gateway that works derives it, as far as any is known: else nothing of it is current.
    var hasGateway = true
    /// Core Motion's error that the device reports now, in words.
    private(set) var error: String?
    private(set) var plots: [String: Plot] = [:]
    /// The last minutes of the fields that the table draws: instants and values, nil where none is known.
    private(set) var trends: [String: Ring<(at: Double, value: Double?)>] = [:]
    /// The latest messages of kinds that have a drawing of their own, as JSON.
    private(set) var messages: [String: Ring<[UInt8]>] = [:]
    private(set) var timeline: Ring<TimelineEntry>
    /// Counts what was added to the history other than points of plots.
    private(set) var revision = 0

    private let limits: FleetLimits
    private var recentIDs: Ring<String>

    /// A value that is this much earlier than the one before, in s, is of a clock that was corrected: what was drawn before it lies ahead.
    private static let setBackSeconds = 3_600.0

    /// Causes of messages that the device itself did not cause.
    private static let silentCauses: Set<String> = ["silence", "restart", "access", "lastWill"]

    init(id: String, limits: FleetLimits) {
        live = LiveDevice(id: id)
        timeline = Ring(capacity: limits.timeline)
        recentIDs = Ring(capacity: 64)
        self.limits = limits
    }

    /// Processes a derived message; one that was processed already changes nothing.
    mutating func take(_ fields: ShownFields, as declared: DeclaredKinds.Entry?, at now: Double) {
        touchedAt = now
        live.confirm(fields.path)
        // The latest change of wear is published again, with its own id, after revisions of earlier ones.
        if let id = fields.text("id"), fields.path != WearChange.name {
            if recentIDs.elements.contains(id) { return }
            recentIDs.append(id.start(scalars: 64))
        }
        let cause = fields.values["cause"]?.text
        let isHandover = fields.path == DepthStateChange.name && cause == DepthCause.handover.rawValue
        let isOfDevice = !isHandover && !Self.silentCauses.contains(cause ?? "") && !fields.path.hasPrefix(Alarms.prefix)
        if let received = fields.received, isOfDevice {
            heardAt = max(heardAt ?? received, received)
        }
        note(fields)
        if let kind = declared?.kind {
            for detail in kind.view.details { keep(fields, for: detail, of: kind) }
            if let name = kind.view.trend {
                keepTrend(of: fields.path, fields.at, fields.validity.isValid ? fields.number(name) : nil)
            }
            if let sampled = kind.sampledKind, let name = live.latest[sampled]?.view.trend {
                keepTrends(of: name, fields, as: sampled)
            }
        }
        guard let phrase = live.take(fields, as: declared, at: now) else { return }
        timeline.append(TimelineEntry(phrase: phrase, fields: fields, now: now, limits: limits))
        revision += 1
    }

    /// Whether it records its wearer's days and nights.
    var recordsDays: Bool { live.latest[ActivityDay.name] != nil || live.latest[WearChange.name] != nil }

    /// The broker will send every state again that it keeps.
    mutating func expectAgain() {
        live.expectAgain(error == nil ? [] : [SubmersionErrorReport.name])
    }

    /// Drops what was not sent again; returns whether that was anything.
    mutating func dropUnconfirmed() -> Bool {
        let dropped = live.dropUnconfirmed()
        if dropped.contains(SubmersionErrorReport.name) { error = nil }
        // What was dropped may come again as it was.
        if !dropped.isEmpty { recentIDs = Ring(capacity: 64) }
        return !dropped.isEmpty
    }

    /// Drops the state of a cleared retained message.
    mutating func clear(_ path: String) {
        live.clear(path)
        if path == SubmersionErrorReport.name { error = nil }
        recentIDs = Ring(capacity: 64)
    }

    private mutating func note(_ fields: ShownFields) {
        switch fields.path {
        case Gap.name: gaps &+= fields.occurrences
        case "rejected": rejected &+= fields.occurrences
        case SubmersionErrorReport.name:
            error = fields.integer("code").map { "\(fields.words("name") ?? "error") (\($0))" }
        default: break
        }
    }

    /// Keeps the samples of a series as those of its kind.
    private mutating func keepTrends(of name: String, _ series: ShownFields, as path: String) {
        guard let times = series.values.sampleTimes, case .list(let column)? = series.values[name] else { return }
        for (at, value) in zip(times, column) { keepTrend(of: path, at, value.number) }
    }

    private mutating func keepTrend(of path: String, _ at: Double?, _ value: Double?) {
        guard let at else { return }
        if let last = trends[path]?.elements.last, at < last.at - Self.setBackSeconds { trends[path] = nil }
        if let last = trends[path]?.elements.last {
            // The end of what is known is kept at once.
            guard at >= last.at + limits.trendSeconds || (value == nil && last.value != nil && at > last.at) else { return }
        } else if value == nil {
            return
        }
        trends[path, default: Ring(capacity: limits.trendPoints)].append((at, value))
    }

    private mutating func keep(_ fields: ShownFields, for detail: KindView.Detail, of kind: KindDescription) {
        switch detail {
        case .plot(let names):
            guard let at = fields.at else { return }
            // Of what is not retained, a report may be on an earlier time.
            if kind.isRetained, let last = plots[fields.path]?.at.elements.last, at < last - Self.setBackSeconds {
                plots[fields.path] = nil
            }
            if plots[fields.path] == nil {
                guard plots.count < limits.paths else { return }
                let unit = kind.fields.first { $0.name == names.first }?.symbol
                plots[fields.path] = Plot(
                    fields: names, unit: unit, at: Ring(capacity: limits.points), isValid: Ring(capacity: limits.points),
                    values: names.map { _ in Ring(capacity: limits.points) })
                // A viewer that has loaded the device learns of it.
                revision += 1
            }
            plots[fields.path]?.at.append(at)
            plots[fields.path]?.isValid.append(fields.validity.isValid)
            for (index, name) in names.enumerated() { plots[fields.path]?.values[index].append(fields.number(name)) }
        case .messages(let most, let needed):
            let hasRoom = messages[fields.path] != nil || messages.count < limits.paths
            guard most > 1, hasRoom, needed.allSatisfy({ (fields.values[$0] ?? .null) != .null }) else { return }
            messages[fields.path, default: Ring(capacity: min(most, limits.messages))].append(fields.json)
            revision += 1
        case .facts: break
        }
    }
}
