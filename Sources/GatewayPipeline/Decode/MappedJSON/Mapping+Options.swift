import TelemetryModel

/// Reads a mapping from the producers file.
extension Mapping {
    private static let keys = [
        "name", "topic", "device", "stream", "layout", "time", "boot", "seq", "convention", "fields",
    ]
    private static let streams: [StreamName] = [.headphoneMotion, .deviceMotion, .submersion, .altimeter, .pedometer]

    /// Reads one table; nil, and at least one problem, when it is invalid.
    init?(_ table: ConfigurationTree, problems: inout [TreeProblem]) {
        var found: [TreeProblem] = []
        defer { problems += found }
        table.expectKeys(Self.keys, problems: &found)
        guard case .table = table.value else { return nil }
        let name = table.identifier("name", problems: &found)
        let (topic, owner) = Self.topic(table, problems: &found)
        let stream = table.text("stream", problems: &found).flatMap { text in
            let stream = Self.streams.first { $0.rawValue == text }
            if stream == nil {
                found.append(table.wrong("stream", "is \(text.quoted), expected \(Self.streams.map(\.rawValue).listed)"))
            }
            return stream
        }
        let layout: Layout? = table.choice("layout", or: .flat, problems: &found)
        let measured: Convention? = table.choice("convention", or: .known, problems: &found)
        guard let stream, let layout, let measured else { return nil }
        let time = MappedTime(table, layout: layout, problems: &found)
        let boot = table.pointer("boot", problems: &found)
        let sequence = table.pointer("seq", problems: &found)
        if layout == .scalar {
            for key in ["boot", "seq"] where table[key] != nil {
                found.append(table.wrong(key, "points into a payload that is one number"))
            }
            if stream.isMotion { found.append(table.wrong("layout", "is one number, too little for \(stream.rawValue)")) }
        } else if stream == .submersion, table["seq"] != nil {
            found.append(table.wrong("seq", "is not for submersion, whose messages do not wait for a lost one"))
        }
        if !stream.isMotion, measured == .measured {
            found.append(table.wrong("convention", "is for motion; the quantities of \(stream.rawValue) have units"))
        }
        let reader = MappedFieldReader(stream: stream, layout: layout, isMeasured: measured == .measured)
        let fields = reader.fields(of: table, problems: &found)
        guard found.isEmpty, let name, let topic, let owner else { return nil }
        self.init(
            name: name, topic: topic, owner: owner, stream: stream, layout: layout, time: time, boot: boot, sequence: sequence,
            isMeasured: measured == .measured, fields: fields)
    }

    private enum Convention: String, CaseIterable { case known, measured }

    private static func topic(
        _ table: ConfigurationTree, problems: inout [TreeProblem]
    ) -> (topic: TopicFilter?, owner: Owner?) {
        guard let text = table.text("topic", problems: &problems) else { return (nil, nil) }
        let topic = TopicFilter(text)
        if let fault = topic.fault { problems.append(table.wrong("topic", fault)) }
        let isNamed = topic.names.contains("device")
        guard table["device"] != nil else {
            if !isNamed { problems.append(table.wrong("topic", "has no level {device}, and no device is given")) }
            return (topic, .named)
        }
        if isNamed { problems.append(table.wrong("device", "is given, and the topic has a level {device} too")) }
        return (topic, table.identifier("device", problems: &problems).map(Owner.fixed))
    }
}

extension MappedTime {
    /// Reads the key `time`; nil where there is none, or it is invalid.
    fileprivate init?(_ table: ConfigurationTree, layout: Mapping.Layout, problems: inout [TreeProblem]) {
        guard let time = table["time"] else {
            if layout == .columns { problems.append(table.problem("needs a time: columns hold samples of several instants")) }
            return nil
        }
        guard layout != .scalar else {
            problems.append(time.problem("points into a payload that is one number; without it the arrival counts"))
            return nil
        }
        time.expectKeys(["pointer", "unit", "clock", "origin", "zone"], problems: &problems)
        guard case .table = time.value else { return nil }
        if time["pointer"] == nil { problems.append(time.problem("needs a pointer")) }
        let pointer = time.pointer("pointer", problems: &problems)
        let unit: Unit? = time.choice("unit", problems: &problems)
        let isDate = unit == .iso8601
        let clock: Clock? = time.choice("clock", or: isDate ? .unix : nil, problems: &problems)
        let origin = time.pointer("origin", problems: &problems)
        if time["origin"] != nil, clock == .uptime {
            problems.append(time.wrong("origin", "makes the time a unix time, but the clock is uptime"))
        }
        if isDate, clock == .uptime {
            problems.append(time.wrong("clock", "is uptime, but a date is a unix time"))
        }
        if isDate, time["origin"] != nil { problems.append(time.wrong("origin", "is for numbers; a date has its own")) }
        var zone: Int?
        if time["zone"] != nil, let text = time.text("zone", problems: &problems) {
            zone = text == "UTC" ? 0 : CalendarTime.offset(text)
            if zone == nil { problems.append(time.wrong("zone", "is \(text.quoted), expected UTC or an offset as +01:00")) }
            if !isDate { problems.append(time.wrong("zone", "is for unit: iso8601")) }
        }
        guard let pointer, let unit, let clock else { return nil }
        self.init(pointer: pointer, unit: unit, clock: clock, origin: origin, zone: zone)
    }
}

extension StreamName {
    /// Whether a mapping to it has samples of motion.
    fileprivate var isMotion: Bool { self == .headphoneMotion || self == .deviceMotion }
}
