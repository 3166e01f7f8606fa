import GatewayPipeline

/// The content of the live view: every device and the latest events, built from derived messages.
///
/// A value without clock and I/O: the caller passes each message with its time, and regular ticks.
package struct LiveViewModel: Sendable {
    /// When watching began, unix seconds.
    package let startedAt: Double

    /// Seconds after which watching ends; nil if it does not.
    package let plannedSeconds: Double?

    /// The first part of the device topics.
    package let root: String

    /// Lines to show below the devices, such as an address.
    package let notes: [String]

    /// Why nothing is received, safe to print; nil when connected.
    package private(set) var connectionProblem: String?

    /// The latest time passed in, unix seconds.
    package private(set) var now: Double

    /// The devices, in the order of their first messages; at most 500. Of more, one that is in no danger is dropped.
    package private(set) var devices: [LiveDevice] = []

    /// The latest events, oldest first; at most 200, without ambient ones.
    package private(set) var events: [LiveEvent] = []

    /// Messages by kind; refusals and connections count under their first part.
    package private(set) var counts: [String: Int] = [:]

    /// All messages.
    package private(set) var total = 0

    /// Messages that could not be read.
    package private(set) var unreadable = 0

    /// The gateways by name; at most 256.
    private var gateways: [String: GatewayPulse] = [:]
    /// Seconds without a status after which a gateway counts as silent.
    private let silentSeconds: Double
    /// When what the broker has not sent again after a new connection is dropped; nil for nothing to drop.
    private var confirmedBy: Double?
    private let kinds: DeclaredKinds
    private var indices: [String: Int] = [:]
    private var posesAtLastReport: [Int] = []
    /// The critical alarms of devices that were dropped.
    private var droppedRaised = 0
    private var lastReport: Double

    /// Seconds between two events of a moving pose.
    private static let poseInterval = 5.0
    private static let deviceLimit = 500
    private static let gatewayLimit = 256

    /// Whether messages are received and a gateway works, as far as any is known, so that what is valid is current.
    package var isLive: Bool { connectionProblem == nil && derived.isAny }

    /// `online` where a gateway works, else what the one that wrote last does; safe to print, nil before one is known.
    package var gatewayState: String? {
        guard let last = gateways.values.max(by: { $0.at < $1.at }) else { return nil }
        return derived.isAny ? "online" : last.text(at: now, silentSeconds: silentSeconds)
    }

    private var derived: DerivedDevices {
        DerivedDevices(of: gateways.values.map { Optional($0) }, at: now, silentSeconds: silentSeconds)
    }

    /// A device with its danger now, and whether what is valid of it is current: messages are received, and a gateway that works
    /// derives it.
    package typealias Judged = (device: LiveDevice, danger: Danger, isLive: Bool)

    private var judged: [Judged] {
        let derived = derived
        return devices.map { device in
            let isLive = connectionProblem == nil && derived.contains(device.id)
            return (device, device.danger(at: now, isLive: isLive), isLive)
        }
    }

    /// The devices with their danger now: those in danger first, then by name.
    package var devicesByDanger: [Judged] {
        judged.sorted { $0.danger == $1.danger ? $0.device.id.precedesNaturally($1.device.id) : $0.danger < $1.danger }
    }

    /// The alarms that are not cleared, what needs a person first, with their devices.
    package var openAlarms: [(device: LiveDevice, alarm: ShownAlarm)] {
        devices.flatMap { device in device.alarms.all.filter(\.isOpen).map { (device, $0) } }.sorted {
            ShownAlarm.precedes($0.1, $1.1) || !ShownAlarm.precedes($1.1, $0.1) && $0.0.id.precedesNaturally($1.0.id)
        }
    }

    /// How many critical alarms were raised since watching began, those that were raised before included.
    package var raisedCritical: Int { devices.reduce(droppedRaised) { $0 &+ $1.alarms.raisedCritical } }

    /// Creates an empty view of messages of the declared `kinds`. A gateway without a status for `silentSeconds` counts as silent.
    package init(
        startedAt: Double, plannedSeconds: Double? = nil, root: String = "wearables", kinds: DeclaredKinds = DeclaredKinds(),
        silentSeconds: Double = 60, notes: [String] = []
    ) {
        self.silentSeconds = silentSeconds
        self.startedAt = startedAt
        self.plannedSeconds = plannedSeconds
        self.root = root
        self.kinds = kinds
        self.notes = notes
        now = startedAt
        lastReport = startedAt
    }

    /// Seconds since watching began.
    package var elapsed: Double { max(0, now - startedAt) }

    /// Processes a message received at `time` (unix seconds) and returns the events to show.
    @discardableResult
    package mutating func receive(topic: String, payload: [UInt8], at time: Double) -> [LiveEvent] {
        advance(to: time)
        guard let topic = DerivedTopic(topic, root: root) else { return [] }
        switch topic {
        case .device(let id, let kind):
            let fields = kinds.fields(payload, on: kind)?.arrived(at: now)
            guard !payload.isEmpty else {
                if let index = indices[id] { devices[index].clear(kind) }
                return []
            }
            count(kind, isReadable: fields != nil)
            guard let fields else { return [] }
            let index = index(of: id)
            devices[index].confirm(kind)
            guard let phrase = devices[index].take(fields, as: kinds[kind], at: now) else { return [] }
            return report(phrase, about: devices[index].id)
        case .gateway(let name, let kind):
            let fields = DeclaredKinds([]).fields(payload, on: kind)
            guard !payload.isEmpty else {
                // One that was retired. The last one stays: without any that is known everything would count as current.
                if kind == "status", gateways.count > 1 { gateways[name] = nil }
                return []
            }
            count(kind, isReadable: fields != nil)
            guard let fields, let phrase = takeGateway(name, kind, fields) else { return [] }
            return report(phrase, about: name.printable)
        }
    }

    /// Advances the time and returns the events to show: head poses, every few seconds.
    @discardableResult
    package mutating func tick(at time: Double) -> [LiveEvent] {
        advance(to: time)
        if let due = confirmedBy, now >= due {
            confirmedBy = nil
            for index in devices.indices { _ = devices[index].dropUnconfirmed() }
        }
        guard now - lastReport >= Self.poseInterval, gatewayState != "offline" else { return [] }
        lastReport = now
        let before = posesAtLastReport + Array(repeating: 0, count: devices.count - posesAtLastReport.count)
        posesAtLastReport = devices.map(\.head.poses)
        return zip(devices, before).compactMap { device, count in
            guard device.head.poses > count, let text = device.head.poseText else { return nil }
            return LiveEvent(at: now, subject: device.id, text: text, tone: .plain, isAmbient: true)
        }
    }

    /// Notes why nothing is received, nil when it is, and returns the event to show if that changed.
    @discardableResult
    package mutating func note(connectionProblem problem: String?, at time: Double) -> [LiveEvent] {
        advance(to: time)
        let problem = problem?.printable
        guard problem != connectionProblem else { return [] }
        // When the connection is lost, as what is retained comes before the next one counts as made.
        if connectionProblem == nil { for index in devices.indices { devices[index].expectAgain() } }
        confirmedBy = problem == nil ? now + LiveDevice.confirmationSeconds : nil
        connectionProblem = problem
        let phrase = problem.map { Phrase("no connection: \($0)", .danger) } ?? Phrase("connected", .good)
        return report(phrase, about: "broker")
    }

    private mutating func takeGateway(_ name: String, _ kind: String, _ fields: ShownFields) -> Phrase? {
        switch kind {
        case "status":
            guard let state = fields.text("state") else { return nil }
            let before = gateways[name]?.state
            guard before != nil || gateways.count < Self.gatewayLimit else { return nil }
            gateways[name] = GatewayPulse(fields, at: now)
            return state == before ? nil : Phrase("gateway \(state)", state == "online" ? .good : .danger)
        case "rejected":
            let topic = fields.text("topic").map { " on \($0)" } ?? ""
            return Phrase("rejected\(topic), \(fields.words("reason") ?? "no reason given")", .danger)
        default:
            return nil
        }
    }

    private mutating func index(of id: String) -> Int {
        if let index = indices[id] { return index }
        if devices.count >= Self.deviceLimit { dropLeastInDanger() }
        indices[id] = devices.count
        devices.append(LiveDevice(id: id.printable))
        return devices.count - 1
    }

    /// Takes over the clock: it may be set back, but messages may be some moments out of order.
    private mutating func advance(to time: Double) {
        if time < now - 5 { lastReport = time }
        if time > now || time < now - 5 { now = time }
    }

    /// Makes room for a device: the one that needs a look least goes, of several the first; one with an open alarm only where all others
    /// have one, or are an alarm themselves.
    private mutating func dropLeastInDanger() {
        let needs = judged.map { device, danger, _ in (danger.isAlarm ? 0 : device.alarms.hasOpen ? 1 : 2, danger) }
        guard let least = needs.max(by: <), let index = needs.firstIndex(where: { $0 == least }) else { return }
        droppedRaised &+= devices.remove(at: index).alarms.raisedCritical
        if index < posesAtLastReport.count { posesAtLastReport.remove(at: index) }
        for (id, other) in indices {
            if other == index { indices[id] = nil } else if other > index { indices[id] = other - 1 }
        }
    }

    private mutating func count(_ kind: String, isReadable: Bool) {
        total += 1
        if !isReadable { unreadable += 1 }
        let name = String(kind.prefix { $0 != "/" }).printable
        if counts[name] != nil || counts.count < 50 { counts[name, default: 0] += 1 }
    }

    private mutating func report(_ phrase: Phrase, about subject: String) -> [LiveEvent] {
        let event = LiveEvent(at: now, subject: subject, text: phrase.text, tone: phrase.tone)
        events.append(event)
        if events.count > 200 { events.removeFirst(events.count - 200) }
        return [event]
    }
}
