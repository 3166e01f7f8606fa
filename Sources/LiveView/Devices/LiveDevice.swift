package import GatewayPipeline
import TelemetryModel

/// The state of one device by its derived messages.
package struct LiveDevice: Sendable {
    /// The latest message of a path.
    package struct Latest: Sendable {
        /// Its fields.
        package var fields: ShownFields
        /// How it is shown.
        package var view: KindView
        /// The place of its kind in the order of the documentation.
        package var place: Int
        /// Whether it is a state, which may be no longer current; an event, and a report on a day, stays what it is.
        package var expires: Bool
        /// Counts the messages of the device.
        var order: Int
    }

    /// The id, safe to print.
    package let id: String

    /// What the device is for, as far as its messages show.
    package private(set) var role = DeviceRole.other

    /// The latest messages by their paths, of kinds that say something by themselves.
    package private(set) var latest: [String: Latest] = [:]
    /// They, those of the greatest precedence first, of the same precedence in the order of the documentation.
    package var latestByPrecedence: [Latest] {
        latest.values.sorted { ($1.view.precedence, $0.place) < ($0.view.precedence, $1.place) }
    }
    /// What was counted, by the nouns of the kinds' tallies.
    private(set) var tallies: [String: Int] = [:]
    /// Headphones.
    private(set) var head = HeadState()
    /// Depth and water.
    package private(set) var water = WaterState()
    private var swings = Swings()
    /// The workout, running or ended; nil before the first.
    package private(set) var session: SessionState?
    /// The streams that are refused.
    package private(set) var access = AccessState()
    /// The alarms that the gateway has raised.
    package private(set) var alarms = Alarms()
    /// `connected`, `disconnected` or `silent`; nil while not known.
    package private(set) var connection: String?
    /// When that began, unix seconds.
    package private(set) var connectionAt: Double?
    private var messages = 0
    /// Paths of states that the broker has not sent again since the connection to it was made anew.
    private var unconfirmed: Set<String> = []
    /// A level of a path may be any text.
    private static let mostPaths = 64
    private var latestIsRefusal = false
    /// Whether anything but decisions of the gateway was received about the device.
    private var isSeen = false
    /// Whether nothing is known but what the gateway decides by itself.
    var isNeverSeen: Bool { !isSeen && connection == nil }

    /// A device of which nothing is known; `id` must be safe to print.
    package init(id: String) {
        self.id = id
    }

    /// Processes a derived message and returns what to show; `declared` is its kind, nil for one that is not declared.
    package mutating func take(_ message: ShownFields, as declared: DeclaredKinds.Entry?, at now: Double) -> Phrase? {
        let levels = message.path.split(separator: "/", maxSplits: 1).map(String.init)
        if levels.count == 2, levels[0] == "access" {
            if role == .other { role = .of(stream: levels[1]) }
            let news = access.take(levels[1], message)
            latestIsRefusal = access.headline != nil && (latestIsRefusal || news?.tone == .danger)
            return news
        }
        if message.path.hasPrefix(Alarms.prefix) { return alarms.take(message) }
        isSeen = true
        if levels.count == 2, levels[0] == "session" {
            guard let found = SessionState(message), found.replaces(session) else { return nil }
            defer { session = found }
            return found.news(since: session)
        }
        switch message.path {
        case "connection/device": return takeConnection(message)
        case "gap":
            let missing = max(0, (message.integer("expected") ?? 0) &- (message.integer("receivedCount") ?? 0))
            let stream = message.text("stream") ?? "a stream"
            return Phrase("\(missing.grouped) \(message.text("unit") ?? "frames") of \(stream) missing", .warning)
        case "rejected":
            let detail = message.text("detail").map { ": \($0)" } ?? ""
            return Phrase("frame rejected, \(message.words("reason") ?? "no reason given")\(detail)", .danger)
        default: return declared.flatMap { takeDeclared(message, as: $0, at: now) }
        }
    }

    private mutating func takeDeclared(_ message: ShownFields, as declared: DeclaredKinds.Entry, at now: Double) -> Phrase? {
        if let sampled = declared.kind.sampledKind { return takeSamples(message, of: sampled, at: now) }
        let view = declared.kind.view
        var fields = message
        fields.now = now
        fields.before = latest[fields.path]?.fields.values
        for tally in view.tallies { tallies[tally.noun] = tally.count(fields, tallies[tally.noun] ?? 0) }
        fields.tallies = tallies
        if let row = view.row, row(fields) == nil {
            latest[fields.path] = nil
            return nil
        }
        if view.role != .other {
            if !view.role.isReported || role == .other { role = view.role }
            latestIsRefusal = false
        }
        messages += 1
        let event = view.event?(fields)
        let hasRoom = latest.count < Self.mostPaths || fields.before != nil
        if view.isKnownUntilNext, hasRoom, !isRevision(fields, view) {
            latest[fields.path] = Latest(
                fields: fields, view: view, place: declared.place,
                expires: declared.kind.isRetained && (!view.role.isReported || fields.validity.validUntil != nil), order: messages
            )
        }
        swings.take(fields)
        let own = head.take(fields) ?? water.take(fields)
        endOthers(fields)
        return own ?? event
    }

    /// Takes the last sample of a series as the latest of its kind, of which something is known.
    private mutating func takeSamples(_ series: ShownFields, of kind: String, at now: Double) -> Phrase? {
        guard let known = latest[kind], let kind = known.fields.kind, let sample = series.lastSample(after: known.fields) else {
            return nil
        }
        return takeDeclared(sample, as: (known.place, kind), at: now)
    }

    /// Whether a report is of an earlier time than the one that is known.
    private func isRevision(_ fields: ShownFields, _ view: KindView) -> Bool {
        guard view.role.isReported, let known = latest[fields.path]?.fields.reportedAt, let at = fields.reportedAt else {
            return false
        }
        return at < known
    }

    /// Drops what a message of another kind has ended.
    private mutating func endOthers(_ fields: ShownFields) {
        switch fields.path {
        case RepetitionSet.name: latest[Repetition.name] = nil
        case DepthStateChange.name where water.zone == .notSubmerged: latest[WaterTemperature.name] = nil
        case HeadState.connectionPath where head.pose == nil: latest[HeadPose.name] = nil
        default: break
        }
    }

    /// Drops the state of a cleared retained message.
    package mutating func clear(_ path: String) {
        latest[path] = nil
        if path.hasPrefix("access/") {
            access.clear(String(path.dropFirst("access/".count)))
            latestIsRefusal = latestIsRefusal && access.headline != nil
        }
        alarms.clear(path)
        head.clear(path)
        water.clear(path)
        // An ended session is published before its topic is cleared.
        if path.hasPrefix("session/"), session?.end == nil { session = nil }
        if path == "connection/device" { (connection, connectionAt) = (nil, nil) }
    }

    // MARK: Another connection to the broker

    /// How long after a connection a broker may take to send all that it keeps, in s.
    package static let confirmationSeconds = 10.0

    /// The broker will send every state again that it keeps, those of `paths` included: one that it has cleared meanwhile is never sent.
    package mutating func expectAgain(_ paths: [String] = []) {
        unconfirmed = Set(latest.filter { $0.value.expires }.keys).union(paths).union(alarms.paths)
        unconfirmed.formUnion(access.refusals.keys.map { "access/\($0)" })
        if water.zone != nil { unconfirmed.insert(DepthStateChange.name) }
        if head.connection != nil { unconfirmed.insert(HeadState.connectionPath) }
        if connection != nil { unconfirmed.insert("connection/device") }
        if let session, session.end == nil { unconfirmed.insert("session/") }
    }

    /// Notes that a message of a path was received; parts of a session confirm each other.
    package mutating func confirm(_ path: String) {
        if !unconfirmed.isEmpty { unconfirmed.remove(path.hasPrefix("session/") ? "session/" : path) }
    }

    /// Drops what was not sent again, and returns the paths. A depth stays as the one that was: a broker that has lost its messages must
    /// not make a diver vanish.
    package mutating func dropUnconfirmed() -> Set<String> {
        defer { unconfirmed = [] }
        for path in unconfirmed {
            if path == DepthStateChange.name { water.doubt() } else { clear(path) }
        }
        return unconfirmed
    }

    private mutating func takeConnection(_ message: ShownFields) -> Phrase? {
        guard let state = message.text("state"), state != connection else { return nil }
        (connection, connectionAt) = (state, message.at)
        switch state {
        case "connected": return Phrase("online", .quiet)
        case "disconnected" where message.text("cause") == "lastWill": return Phrase("vanished", .warning)
        case "disconnected": return Phrase("offline", .quiet)
        default: return Phrase("silent", .warning)
        }
    }
}

extension ShownFields {
    /// When what a report is about ended.
    fileprivate var reportedAt: Double? { values["end"]?.number ?? at }
}

extension LiveDevice {
    /// What is known at `now`, unix seconds, as text; a value that is no longer valid, as all where nothing is received (`isLive` is
    /// false), is shown as one that was. Of somebody under water it is the depth, whatever else the device sends.
    package func headline(at now: Double, isLive: Bool = true) -> Phrase {
        if danger(at: now, isLive: isLive) <= .underWater, let depth = water.headline(at: now, isLive: isLive) {
            let link = connection == "connected" ? nil : connection
            let remarks = [link, access.refusals.isEmpty ? nil : access.headline?.text].compactMap(\.self)
            return Phrase(([depth.text] + remarks).joined(separator: " · "), depth.tone)
        }
        if latestIsRefusal, let refusal = access.headline { return refusal }
        switch connection {
        case "disconnected": return Phrase("offline", .quiet)
        case "silent": return Phrase("silent", .warning)
        default: break
        }
        let own = roleHeadline(at: now, isLive: isLive) ?? access.headline ?? role.waiting.map { Phrase($0, .quiet) }
        guard let session, session.end == nil else {
            return own ?? Phrase(isNeverSeen ? "never seen" : "nothing yet", .quiet)
        }
        let text = session.text(at: now)
        return own.map { Phrase("\($0.text) · \(text)", $0.tone) } ?? Phrase(text)
    }

    /// What is known by the messages of its role; nil where nothing was received.
    private func roleHeadline(at now: Double, isLive: Bool) -> Phrase? {
        switch role {
        case .head: head.headline(at: now, isLive: isLive)
        case .water: water.headline(at: now, isLive: isLive)
        case .run: runHeadline(at: now, isLive: isLive)
        default:
            row(at: now, isLive: isLive) { $0 == role }
                ?? (role.isReported ? row(at: now, isLive: isLive) { $0.isReported } : nil)
        }
    }

    /// The rows of the greatest precedence among those that are current: reports together, of all else the latest.
    private func row(at now: Double, isLive: Bool, of isShown: (DeviceRole) -> Bool) -> Phrase? {
        let known = rows(of: isShown).filter {
            $0.view.role == .other || !$0.expires || (isLive && validity(of: $0).isCurrent(at: now))
        }
        let precedence = known.map(\.view.precedence).max()
        let greatest = known.filter { $0.view.precedence == precedence }
        if role.isReported {
            let phrases = greatest.compactMap { $0.row(at: now) }
            return phrases.first.map { Phrase(list: phrases.map(\.text), $0.tone) }
        }
        return greatest.max { $0.order < $1.order }?.row(at: now)
    }

    /// Until when a message is current. A depth may be in doubt since it was received; the temperature of the water is
    /// current as long as the depth.
    package func validity(of latest: Latest) -> Validity {
        let path = latest.fields.path
        if path == WaterTemperature.name || path == DepthStateChange.name && water.zone != nil { return water.validity }
        return latest.expires ? latest.fields.validity : Validity()
    }

    private func rows(of isShown: (DeviceRole) -> Bool) -> [Latest] {
        latest.values.filter { $0.view.row != nil && isShown($0.view.role) }.sorted { $0.place < $1.place }
    }

    /// A small picture of the state at `now`, unix seconds, `width` columns wide.
    package func picture(width: Int, at now: Double, isLive: Bool = true) -> [Phrase] {
        if danger(at: now, isLive: isLive) <= .underWater { return water.gauge(width: width) }
        if latestIsRefusal || !isPictureCurrent(at: now, isLive: isLive) { return [Phrase(String(repeating: " ", count: width))] }
        switch role {
        case .head: return head.dial(width: width)
        case .water: return water.gauge(width: width)
        case .bat: return swings.tally(width: width)
        case .run: return runPicture(width: width)
        case .exercise: return setPicture(width: width)
        case .night: return nightPicture(width: width)
        default: return [Phrase(String(repeating: " ", count: width))]
        }
    }

    /// Whether what a picture shows of the present is current; one of what has happened always is.
    private func isPictureCurrent(at now: Double, isLive: Bool) -> Bool {
        func isCurrent(_ path: String) -> Bool {
            isLive && (latest[path].map { validity(of: $0).isCurrent(at: now) } ?? true)
        }
        return switch role {
        case .head: isLive && head.poseValidity.isCurrent(at: now)
        case .run: isCurrent(Pace.name)
        case .exercise: isCurrent(Repetition.name)
        default: true
        }
    }

    /// One character for the danger at `now`, unix seconds, else for what the device is for.
    package func icon(at now: Double, isLive: Bool = true) -> Phrase {
        switch danger(at: now, isLive: isLive) {
        case .alarm: Phrase("▲", .danger)
        case .contactLost: Phrase("◌", .warning)
        case .caution: Phrase("▲", .warning)
        case .underWater: Phrase("≈", .notice)
        case .silent, .refused, .ordinary, .notInUse: latestIsRefusal ? Phrase("✕", .danger) : Phrase(role.icon, .quiet)
        }
    }

    /// A summary of the device until `now`, unix seconds.
    package func summary(until now: Double) -> Phrase {
        var parts = [roleSummary(until: now), session?.text(at: now)].compactMap(\.self)
        parts += access.history
        return parts.isEmpty
            ? Phrase("nothing derived", .quiet)
            : Phrase(parts.joined(separator: "; "), access.history.isEmpty ? .plain : .danger)
    }

    private func roleSummary(until now: Double) -> String? {
        switch role {
        case .head: return head.summary
        case .water: return water.summary(until: now)
        case .run: return runSummary
        case .bat: return [swings.summary, counts].compactMap(\.self).joined(separator: ", ")
        default: break
        }
        guard role.isReported else { return counts }
        let reports = latestByPrecedence.filter { $0.view.row != nil && $0.view.role.isReported && $0.view.precedence > 0 }
        return reports.isEmpty ? nil : reports.compactMap { $0.row(at: now)?.text }.joined(separator: "; ")
    }

    /// What was counted of the kinds of its role; nil where nothing was.
    private var counts: String? {
        let kinds = latest.values.filter { $0.view.role == role }.sorted { $0.place < $1.place }
        let counted = kinds.flatMap(\.view.tallies).filter { tallies[$0.noun] != nil }
        return counted.isEmpty ? nil : counted.map { (tallies[$0.noun] ?? 0).counted($0.noun, $0.plural) }.joined(separator: ", ")
    }
}

extension LiveDevice.Latest {
    /// What a line says of it at `now`, unix seconds.
    fileprivate func row(at now: Double) -> Phrase? {
        var fields = fields
        fields.now = now
        return view.row?(fields)
    }
}
