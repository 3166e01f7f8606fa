import LiveView

/// One device: its state, and a bounded part of its history.
struct FleetDevice: Sendable {
    /// A point of the depth profile.
    struct Depth: Sendable {
        var at: Double
        var depth: Double?
        var zone: Int
        var isValid: Bool
    }

    /// A point of the altitude profile.
    struct Height: Sendable {
        var at: Double
        /// In m over the start.
        var height: Double?
        /// In m since the count began; nil where none is measured.
        var distance: Double?
    }

    /// One swing.
    struct Swing: Sendable {
        var at: Double
        var startAt, impactAt: Double?
        var contact: Bool
        var timeToContact, peakAcceleration, peakRotationRate, confidence, coverage: Double?
    }

    private(set) var live: LiveDevice
    /// When the last message about data of the device was received, unix seconds.
    private(set) var heardAt: Double?
    /// When the page received the last message.
    private(set) var touchedAt = 0.0
    private(set) var gaps = 0
    private(set) var rejected = 0
    /// Core Motion's error that the device reports now, in words.
    private(set) var error: String?
    private(set) var depths: Ring<Depth>
    private(set) var heights: Ring<Height>
    private(set) var swings: Ring<Swing>
    private(set) var traces: Ring<SwingSamples>
    private(set) var sets: Ring<ExerciseSet>
    private(set) var timeline: Ring<TimelineEntry>
    /// Counts what was added to the history other than depths.
    private(set) var revision = 0

    private let limits: FleetLimits
    private var recentIDs: Ring<String>

    /// Causes of messages that the device itself did not cause.
    private static let silentCauses: Set<String> = ["silence", "restart", "access", "lastWill"]

    init(id: String, limits: FleetLimits) {
        live = LiveDevice(id: id)
        depths = Ring(capacity: limits.depths)
        heights = Ring(capacity: limits.depths)
        swings = Ring(capacity: limits.swings)
        traces = Ring(capacity: limits.traces)
        sets = Ring(capacity: limits.sets)
        timeline = Ring(capacity: limits.timeline)
        recentIDs = Ring(capacity: 64)
        self.limits = limits
    }

    /// Processes a derived message; one that was processed already changes nothing.
    mutating func take(_ kind: String, _ fields: DerivedFields, _ payload: [UInt8], declared: LiveKind?, at now: Double) {
        touchedAt = now
        // The latest change of wear is published again, with its own id, after revisions of earlier ones.
        if let id = fields.id, kind != "wear" {
            if recentIDs.elements.contains(id) { return }
            recentIDs.append(id.start(scalars: 64))
        }
        let isHandover = kind == "depth-state" && fields.cause == "handover"
        if let received = fields.received, !isHandover, !Self.silentCauses.contains(fields.cause ?? "") {
            heardAt = max(heardAt ?? received, received)
        }
        note(kind, fields, payload)
        guard let phrase = live.take(kind, fields) ?? declared.flatMap({ live.take($0, payload) }) else { return }
        timeline.append(TimelineEntry(kind: kind, phrase: phrase, fields: fields, now: now, limits: limits))
        revision += 1
    }

    /// Drops the state of a cleared retained message.
    mutating func clear(_ kind: String) {
        live.clear(kind)
        if kind == "error/submersion" { error = nil }
        recentIDs = Ring(capacity: 64)
    }

    private mutating func note(_ kind: String, _ fields: DerivedFields, _ payload: [UInt8]) {
        switch kind {
        case "depth-state":
            guard let at = fields.at, let zone = fields.rawValue else { return }
            depths.append(Depth(at: at, depth: fields.depth, zone: zone, isValid: fields.validity.isValid))
        case "altitude":
            guard let at = fields.at else { return }
            heights.append(
                Height(at: at, height: fields.validity.isValid ? fields.relativeAltitude : nil, distance: live.run.distance))
        case "swing":
            guard let at = fields.at, let contact = fields.contact else { return }
            swings.append(
                Swing(
                    at: at, startAt: fields.startAt, impactAt: fields.impactAt, contact: contact,
                    timeToContact: fields.timeToContact, peakAcceleration: fields.peakAcceleration,
                    peakRotationRate: fields.peakRotationRate, confidence: fields.confidence, coverage: fields.coverage))
        case "trace/swing":
            guard let samples = SwingSamples(payload) else { return }
            traces.append(samples)
            revision += 1
        case "set": if let set = ExerciseSet(fields) { sets.append(set) }
        case "gap": gaps &+= fields.occurrences
        case "rejected": rejected &+= fields.occurrences
        case "error/submersion":
            error = fields.code.map { "\(fields.name?.words ?? "error") (\($0))" }
        default: break
        }
    }
}
