package import GatewayPipeline
package import TelemetryModel

/// The state of a diver.
package struct WaterState: Sendable, Hashable {
    package private(set) var zone: DepthState?
    package private(set) var depth: Double?
    package private(set) var maximumDepth: Double?
    package private(set) var isDoubtful = false
    /// When depth and state were measured, and until when they hold.
    package private(set) var validity = Validity()
    /// The latest depth and state of valid quality.
    package private(set) var known: KnownDepth?
    /// When the state began, unix seconds; nil where only repetitions of it were received.
    package private(set) var zoneSince: Double?
    /// When the dive began, or was first seen, unix seconds; nil out of the water.
    package private(set) var underWaterSince: Double?
    private var temperature: Double?
    private var dives = 0
    /// The greatest depth in any message, m.
    package private(set) var deepest: Double?
    /// Whether depth was withheld at some time, so that `deepest` is a lower bound.
    package private(set) var wasTooDeep = false
    private var wasSubmerged = false
    /// When the state was measured that was published ahead of frames that are still to come; nil where none was.
    private var earlyAt: Double?
    /// Seconds spent past the maximum depth before `pastSince`.
    private var secondsPast = 0.0
    private var pastSince: Double?

    /// A depth of valid quality.
    package struct KnownDepth: Sendable, Hashable {
        /// The state.
        package var zone: DepthState
        /// m; nil where it was withheld.
        package var depth: Double?
        /// When it was measured, unix seconds.
        package var at: Double?

        fileprivate var words: String {
            depth.map { "\($0.text(1)) m" } ?? (zone == .notSubmerged ? "at the surface" : zone.name.words)
        }
    }

    /// Processes a message and returns what to show, nil for nothing and for other kinds.
    mutating func take(_ fields: ShownFields) -> Phrase? {
        switch fields.path {
        case DepthStateChange.name: return takeDepth(fields)
        case WaterTemperature.name: temperature = fields.number("temperature")
        case Dive.name:
            dives += 1
            note(fields.number("deepest"))
            if fields.number("deepest") == nil { wasTooDeep = true }
        default: break
        }
        return nil
    }

    private mutating func takeDepth(_ fields: ShownFields) -> Phrase? {
        let state = fields.text("state")
        let raw = fields.integer("rawValue").flatMap(DepthState.init(rawValue:))
        guard let zone = raw ?? state.flatMap(DepthState.init(name:)) else { return nil }
        let early = fields.flag("early") == true
        let previous = fields.text("previous")
        if let earlyAt, let at = fields.at, at < earlyAt, let current = self.zone, zone < current, zone != .unknown { return nil }
        if early { earlyAt = fields.at } else if fields.at ?? .infinity >= earlyAt ?? .infinity { earlyAt = nil }
        let before = self.zone
        let wasDoubtful = isDoubtful
        self.zone = zone
        depth = fields.number("depth")
        validity = fields.validity
        if zone != .unknown, validity.isValid { known = KnownDepth(zone: zone, depth: depth, at: fields.at) }
        // A view that was not connected when the contact was lost knows what came before from the message; what it saw itself may be of
        // long before.
        if zone == .unknown, let last = previous.flatMap(DepthState.init(name:)), known == nil || last != before,
            last > known?.zone ?? .unknown
        {
            known = KnownDepth(zone: last, depth: nil, at: nil)
        }
        if zone != before { zoneSince = before == nil && previous == state ? nil : fields.at }
        if zone == .notSubmerged { underWaterSince = nil }
        if zone > .notSubmerged { underWaterSince = underWaterSince ?? fields.at }
        maximumDepth = fields.number("maximumDepth") ?? maximumDepth
        isDoubtful = fields.quality == "fault"
        note(depth)
        if zone == .sensorDepthError { wasTooDeep = true }
        if zone == .notSubmerged { temperature = nil }
        clock(fields.at, isPast: zone >= .pastMaxDepth)

        defer { wasSubmerged = zone > .notSubmerged || (wasSubmerged && zone == .unknown) }
        // A repeated state only updates the picture.
        if zone == before, isDoubtful == wasDoubtful { return nil }
        switch zone {
        case .notSubmerged: return wasSubmerged ? Phrase("back at the surface", .good) : nil
        case .unknown where before == nil: return nil
        default: return Phrase(text, zone.tone)
        }
    }

    mutating func clear(_ path: String) {
        if path == DepthStateChange.name {
            (zone, depth, known, zoneSince, underWaterSince, earlyAt) = (nil, nil, nil, nil, nil, nil)
        }
        if path == WaterTemperature.name { temperature = nil }
    }

    /// Notes that the broker does not hold the state any more: it may have changed since.
    mutating func doubt() { validity.isValid = false }

    /// Whether the device reports its depth at `now`, be its sensor in doubt or not.
    func isReporting(at now: Double, isLive: Bool) -> Bool {
        isLive && (zone ?? .unknown) != .unknown && (validity.isValid || isDoubtful)
            && (validity.validUntil.map { now < $0 } ?? true)
    }

    /// Whether state and depth may be shown as current at `now`, unix seconds; `isLive` is false where nothing is received.
    func isKnown(at now: Double, isLive: Bool) -> Bool { validity.isValid && isReporting(at: now, isLive: isLive) }

    /// The depth in few columns: `6.4 m`, or `?6.4 m` where it was so when it was last known; empty where it cannot be measured.
    func shortDepth(at now: Double, isLive: Bool) -> String {
        guard zone != nil else { return "" }
        let isKnown = isKnown(at: now, isLive: isLive)
        let shown = isKnown ? depth : known?.depth
        return (isKnown ? "" : "?") + (shown.map { "\($0.text(1)) m" } ?? "")
    }

    func headline(at now: Double, isLive: Bool = true) -> Phrase? {
        guard let zone else { return nil }
        if !isKnown(at: now, isLive: isLive) {
            let words = isDoubtful ? "\(zone.name.words), sensor fault" : "depth unknown"
            let was = known.map { ", was \($0.words)" } ?? ""
            let worst = max(zone, known?.zone ?? zone)
            return Phrase(words + was, worst >= .pastMaxDepth ? .danger : .warning)
        }
        guard let temperature, zone > .notSubmerged else { return Phrase(text, zone.tone) }
        return Phrase("\(text), \(temperature.text(1)) °C", zone.tone)
    }

    /// A gauge that fills with the danger.
    func gauge(width: Int) -> [Phrase] {
        let zone = zone ?? .unknown
        let filled = width * zone.level / DepthState.sensorDepthError.level
        return [
            Phrase(String(repeating: "█", count: filled), zone.tone),
            Phrase(String(repeating: "░", count: width - filled), .quiet),
        ]
    }

    /// A summary until `now`, unix seconds; nil without any state.
    func summary(until now: Double) -> String? {
        var parts = dives > 0 ? [dives.counted("dive")] : []
        if let deepest {
            parts.append((wasTooDeep ? "deeper than " : "deepest ") + "\(deepest.text(1)) m")
        }
        let past = secondsPast + (pastSince.map { max(0, now - $0) } ?? 0)
        if past > 0 {
            parts.append("\(past.text(1)) s past max depth" + (maximumDepth.map { " (\($0.text(0)) m)" } ?? ""))
        }
        if parts.isEmpty { return zone == .notSubmerged ? "stayed at the surface" : nil }
        return parts.joined(separator: ", ")
    }

    private var text: String {
        guard let zone else { return "" }
        let place = depth.map { "under water \($0.text(1)) m" } ?? "under water"
        let words: String =
            switch zone {
            case .unknown: "depth unknown"
            case .notSubmerged: "at the surface"
            case .submergedShallow, .submergedDeep: place
            case .approachingMaxDepth: "\(place), approaching max depth"
            case .pastMaxDepth: "\(place), past max depth"
            case .sensorDepthError: "deeper than can be measured"
            }
        return isDoubtful ? "\(words), sensor fault" : words
    }

    private mutating func note(_ depth: Double?) {
        guard let depth, depth.isFinite else { return }
        deepest = max(deepest ?? depth, depth)
    }

    private mutating func clock(_ at: Double?, isPast: Bool) {
        guard let at else { return }
        if let since = pastSince, !isPast {
            secondsPast += max(0, at - since)
            pastSince = nil
        } else if pastSince == nil, isPast {
            pastSince = at
        }
    }
}
