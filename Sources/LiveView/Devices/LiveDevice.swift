/// The state of one device by its derived messages.
package struct LiveDevice: Sendable, Hashable {
    /// The id, safe to print.
    package let id: String

    /// What the device is for, as far as its messages show.
    package private(set) var role = Role.other

    /// Headphones.
    package private(set) var head = HeadState()
    /// Depth and water.
    package private(set) var water = WaterState()
    /// Swings and strokes.
    package private(set) var bat = BatState()
    /// Walking and running.
    package private(set) var run = RunState()
    /// Repetitions, punches and poses.
    package private(set) var exercise = ExerciseState()
    /// Nights, days and wear.
    package private(set) var night = NightState()
    /// Tremor and dyskinesia.
    package private(set) var tremor = TremorState()
    /// The workout, running or ended; nil before the first.
    package private(set) var session: SessionState?
    /// The streams that are refused.
    package private(set) var access = AccessState()
    /// `connected`, `disconnected` or `silent`; nil while not known.
    package private(set) var connection: String?
    /// When that began, unix seconds.
    package private(set) var connectionAt: Double?
    /// The latest of the kinds that have no picture.
    private var other: Phrase?
    private var otherKind: String?
    private var latestIsRefusal = false
    /// Whether anything but decisions of the gateway was received about the device.
    private var isSeen = false
    /// Whether nothing is known but what the gateway decides by itself.
    var isNeverSeen: Bool { !isSeen && connection == nil }

    /// What a device is for.
    package enum Role: Sendable, Hashable {
        /// Not known yet.
        case other
        /// Headphones.
        case head
        /// A watch under water.
        case water
        /// A watch on a swinging arm.
        case bat
        /// Somebody who walks or runs.
        case run
        /// Somebody who trains.
        case exercise
        /// A watch that records its wearer's days and nights.
        case night
        /// A watch that measures its wearer's tremor.
        case tremor

        /// Whether it is of reports on minutes to days, while the device may be used for something else.
        fileprivate var isReported: Bool { self == .night || self == .tremor }
    }

    /// A device of which nothing is known; `id` must be safe to print.
    package init(id: String) {
        self.id = id
    }

    /// Processes a derived message and returns what to show.
    package mutating func take(_ kind: String, _ fields: DerivedFields) -> Phrase? {
        let parts = kind.split(separator: "/", maxSplits: 1).map(String.init)
        if parts.count == 2, parts[0] == "access" {
            if role == .other { role = Self.role(of: parts[1]) }
            let news = access.take(parts[1], fields)
            latestIsRefusal = access.headline != nil && (latestIsRefusal || news?.tone == .danger)
            return news
        }
        isSeen = true
        if kind.hasPrefix("session/") {
            guard let found = SessionState(fields), found.replaces(session) else { return nil }
            defer { session = found }
            return found.news(since: session)
        }
        if kind == "pose", fields.pose == nil {
            // Between poses the device may do anything else.
            exercise.clear(kind)
            return nil
        }
        guard let role = Self.role(ofKind: kind) else { return takeOther(kind, fields) }
        if !role.isReported || self.role == .other { self.role = role }
        latestIsRefusal = false
        switch kind {
        case "head-pose": head.takePose(fields)
        case "connection/headphone": return head.takeConnection(fields)
        case "depth-state": return water.takeDepth(fields)
        case "water-temperature": water.takeTemperature(fields)
        case "dive": return water.takeDive(fields)
        case "impact": bat.takeImpact(fields)
        case "swing": return bat.takeSwing(fields)
        case "pace": return run.takePace(fields)
        case "altitude": run.takeAltitude(fields)
        case "segment": return run.takeSegment(fields)
        case "hill": return run.takeHill(fields)
        case "repetition": exercise.takeRepetition(fields)
        case "set": return exercise.takeSet(fields)
        case "punch": return exercise.takePunch(fields)
        case "pose": exercise.takePose(fields)
        case "pose-hold": return exercise.takeHold(fields)
        case "sleep": return night.takeSleep(fields)
        case "day": return night.takeDay(fields)
        case "wear": return night.takeWear(fields)
        case "tremor": return tremor.takeTremor(fields)
        case "dyskinesia": return tremor.takeDyskinesia(fields)
        default: return bat.takeStroke(fields)
        }
        return nil
    }

    /// Drops the state of a cleared retained message.
    package mutating func clear(_ kind: String) {
        if kind.hasPrefix("access/") { access.clear(String(kind.dropFirst("access/".count))) }
        if kind == "head-pose" { head.clearPose() }
        if kind == "depth-state" || kind == "water-temperature" { water.clear(kind) }
        run.clear(kind)
        exercise.clear(kind)
        night.clear(kind)
        // An ended session is published before its topic is cleared.
        if kind.hasPrefix("session/"), session?.end == nil { session = nil }
        if kind == "connection/device" { (connection, connectionAt) = (nil, nil) }
        if kind == otherKind { (other, otherKind) = (nil, nil) }
    }

    private mutating func takeOther(_ kind: String, _ fields: DerivedFields) -> Phrase? {
        switch kind {
        case "connection/device":
            guard let state = fields.state, state != connection else { return nil }
            (connection, connectionAt) = (state, fields.at)
            switch state {
            case "connected": return Phrase("online", .quiet)
            case "disconnected" where fields.cause == "lastWill": return Phrase("vanished", .warning)
            case "disconnected": return Phrase("offline", .quiet)
            default: return Phrase("silent", .warning)
            }
        case "gap":
            let missing = max(0, (fields.expected ?? 0) &- (fields.receivedCount ?? 0))
            let unit = fields.unit?.printable ?? "frames"
            return Phrase("\(missing.grouped) \(unit) of \(fields.stream?.printable ?? "a stream") missing", .warning)
        case "rejected":
            let detail = fields.detail.map { ": \($0.printable)" } ?? ""
            return Phrase("frame rejected, \(fields.reason?.words.printable ?? "no reason given")\(detail)", .danger)
        default:
            return nil
        }
    }

    /// Processes a message of a kind that has no picture; a state only becomes the headline, an event is shown.
    package mutating func take(_ kind: LiveKind, _ payload: [UInt8]) -> Phrase? {
        guard let phrase = kind.phrase(payload) else { return nil }
        (other, otherKind) = (phrase, kind.name)
        return kind.isRetained ? nil : phrase
    }

    /// Whether a kind is shown otherwise than by its fields; the samples of a swing are not shown as text at all.
    package static func shows(_ kind: String) -> Bool {
        role(ofKind: kind) != nil || kind.hasPrefix("access/") || kind.hasPrefix("session/")
            || ["connection/device", "gap", "rejected", "trace/swing"].contains(kind)
    }

    private static func role(ofKind kind: String) -> Role? {
        switch kind {
        case "head-pose", "connection/headphone": .head
        case "depth-state", "water-temperature", "dive": .water
        case "impact", "swing", "stroke": .bat
        case "pace", "altitude", "segment", "hill": .run
        case "repetition", "set", "punch", "pose", "pose-hold": .exercise
        case "sleep", "day", "wear": .night
        case "tremor", "dyskinesia": .tremor
        default: nil
        }
    }

    private static func role(of stream: String) -> Role {
        switch stream {
        case "headphone-motion": .head
        case "submersion": .water
        case "batched-imu", "device-motion": .bat
        case "pedometer", "altimeter": .run
        case "recorded-accelerometer": .night
        case "movement-disorder": .tremor
        default: .other
        }
    }
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
        guard let session, session.end == nil else {
            return roleHeadline(at: now) ?? Phrase(isNeverSeen ? "never seen" : "nothing yet", .quiet)
        }
        let text = session.text(at: now)
        guard let own = roleHeadline(at: now) else { return Phrase(text, .plain) }
        return Phrase("\(own.text) · \(text)", own.tone)
    }

    /// What is known by the messages of its role, else why nothing is; nil where nothing was received.
    private func roleHeadline(at now: Double) -> Phrase? {
        switch role {
        case .head: return head.headline(at: now)
        case .water: return water.headline(at: now) ?? access.headline
        case .bat: return bat.headline ?? (access.headline ?? Phrase("waiting for a swing", .quiet))
        case .run: return run.headline(at: now) ?? access.headline
        case .exercise: return exercise.headline(at: now) ?? access.headline
        case .night: return night.headline ?? tremor.headline ?? access.headline
        case .tremor: return tremor.headline ?? night.headline ?? access.headline
        case .other: return other ?? access.headline
        }
    }

    /// A small picture of the state at `now`, unix seconds, `width` columns wide.
    package func picture(width: Int, at now: Double, isLive: Bool = true) -> [Phrase] {
        if danger(at: now, isLive: isLive) <= .underWater { return water.gauge(width: width) }
        if latestIsRefusal { return [Phrase(String(repeating: " ", count: width))] }
        switch role {
        case .head: return head.dial(width: width)
        case .water: return water.gauge(width: width)
        case .bat: return bat.tally(width: width)
        case .run: return run.picture(width: width)
        case .exercise: return exercise.picture(width: width)
        case .night: return night.picture(width: width)
        case .tremor, .other: return [Phrase(String(repeating: " ", count: width))]
        }
    }

    /// One character for the danger at `now`, unix seconds, else for what the device is for.
    package func icon(at now: Double, isLive: Bool = true) -> Phrase {
        switch danger(at: now, isLive: isLive) {
        case .alarm: return Phrase("▲", .danger)
        case .contactLost: return Phrase("◌", .warning)
        case .caution: return Phrase("▲", .warning)
        case .underWater: return Phrase("≈", .notice)
        case .silent, .refused, .ordinary, .notInUse: break
        }
        if latestIsRefusal { return Phrase("✕", .danger) }
        switch role {
        case .head: return Phrase("♪", .quiet)
        case .water: return Phrase("≈", .quiet)
        case .bat: return Phrase("◆", .quiet)
        case .run: return Phrase("▸", .quiet)
        case .exercise: return Phrase("▮", .quiet)
        case .night: return Phrase("☾", .quiet)
        case .tremor: return Phrase("∿", .quiet)
        case .other: return Phrase("·", .quiet)
        }
    }

    /// A summary of the device until `now`, unix seconds.
    package func summary(until now: Double) -> Phrase {
        var parts: [String] = []
        switch role {
        case .head: if head.poses > 0 || head.connection != nil { parts.append(head.summary) }
        case .water: if let summary = water.summary(until: now) { parts.append(summary) }
        case .bat: if !bat.summary.isEmpty { parts.append(bat.summary) }
        case .run: if let summary = run.summary { parts.append(summary) }
        case .exercise: if let summary = exercise.summary { parts.append(summary) }
        case .night, .tremor: parts += [night.summary, tremor.summary].compactMap(\.self)
        case .other: break
        }
        if let session { parts.append(session.text(at: now)) }
        parts += access.history
        return parts.isEmpty
            ? Phrase("nothing derived", .quiet)
            : Phrase(parts.joined(separator: "; "), access.history.isEmpty ? .plain : .danger)
    }
}
