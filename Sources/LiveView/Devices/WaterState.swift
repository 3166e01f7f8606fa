/// The state of a diver.
struct WaterState: Sendable, Hashable {
    private(set) var zone: DepthZone?
    private(set) var depth: Double?
    private(set) var maximumDepth: Double?
    private(set) var isDoubtful = false
    private(set) var temperature: Double?
    private(set) var dives = 0
    /// The greatest depth in any message, m.
    private(set) var deepest: Double?
    /// Whether depth was withheld at some time, so that `deepest` is a lower bound.
    private(set) var wasTooDeep = false
    private var wasSubmerged = false
    /// Seconds spent past the maximum depth before `pastSince`.
    private var secondsPast = 0.0
    private var pastSince: Double?

    mutating func takeDepth(_ fields: DerivedFields) -> Phrase? {
        guard let zone = fields.rawValue.flatMap(DepthZone.init(rawValue:)) ?? fields.state.flatMap(DepthZone.init(name:)) else {
            return nil
        }
        let before = self.zone
        let wasDoubtful = isDoubtful
        self.zone = zone
        depth = fields.depth
        maximumDepth = fields.maximumDepth ?? maximumDepth
        isDoubtful = fields.quality == "fault"
        note(fields.depth)
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

    mutating func takeTemperature(_ fields: DerivedFields) {
        temperature = fields.temperature
    }

    mutating func takeDive(_ fields: DerivedFields) -> Phrase {
        dives += 1
        note(fields.deepest)
        if fields.deepest == nil { wasTooDeep = true }
        let bottom = fields.deepest.map { "\($0.text(1)) m deep" } ?? "deeper than can be measured"
        let length = fields.duration.map { ", \($0.text(0)) s" } ?? ""
        let ascent = fields.ascentRate.map { ", up at \($0.text(1)) m/s" } ?? ""
        return Phrase("dive over: \(bottom)\(length)\(ascent)", .good)
    }

    var headline: Phrase? {
        guard let zone else { return nil }
        guard let temperature, zone > .notSubmerged else { return Phrase(text, zone.tone) }
        return Phrase("\(text), \(temperature.text(1)) °C", zone.tone)
    }

    /// A gauge that fills with the danger.
    func gauge(width: Int) -> [Phrase] {
        let zone = zone ?? .unknown
        let filled = width * zone.level / DepthZone.sensorDepthError.level
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
