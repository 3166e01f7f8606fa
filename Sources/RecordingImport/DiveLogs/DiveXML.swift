/// Reads the dives of one kind of XML file.
protocol DiveXML {
    /// Takes the next beginning or end of an element.
    mutating func take(_ event: XMLScanner.Event, into dives: DiveCollector) throws(ImportProblem)
}

/// Subsurface's own file.
struct SubsurfaceXML: DiveXML {
    /// Programs that make samples without a dive.
    private static let invented = ["planned dive", "manually added dive"]

    private var dive: Int?
    /// Whether samples belong to the dive: those of its first computer do.
    private var isRead = true
    private var hasSamples = false
    private var date: (day: String, time: String)?

    mutating func take(_ event: XMLScanner.Event, into dives: DiveCollector) throws(ImportProblem) {
        switch event {
        case .start(let element): try start(element, dives)
        case .end("dive", _, _): dive = nil
        case .end("divecomputer", _, _): isRead = !hasSamples
        case .end: break
        }
    }

    private mutating func start(_ element: XMLElement, _ dives: DiveCollector) throws(ImportProblem) {
        if element.name == "dive" {
            let index = try dives.begin(line: element.line)
            (dive, isRead, hasSamples) = (index, true, false)
            begin(index, element, dives)
        }
        guard let dive else { return }
        switch element.name {
        case "divecomputer":
            let model = element.attributes["model"] ?? ""
            if hasSamples {
                isRead = false
                dives.leaveOut("profiles of a second dive computer")
            } else if Self.invented.contains(model) {
                isRead = false
                dives.leaveOut("dives that no computer recorded")
            } else {
                begin(dive, element, dives)
            }
        case "surface":
            if isRead, let pressure = element.attributes["pressure"].flatMap(DiveText.pressure) {
                dives.change(dive) { $0.surfacePressure = pressure }
            }
        case "sample": if isRead { try sample(element, of: dive, dives) }
        case "event": dives.leaveOut("events")
        default: break
        }
    }

    private mutating func begin(_ dive: Int, _ element: XMLElement, _ dives: DiveCollector) {
        guard let day = element.attributes["date"] else { return }
        dives.date(dive, "\(day) \(element.attributes["time"] ?? "")")
    }

    private mutating func sample(_ element: XMLElement, of dive: Int, _ dives: DiveCollector) throws(ImportProblem) {
        hasSamples = true
        let number = { (name: String, what: String, read: (String) -> Double?) in
            dives.number(dive, element.attributes[name], called: what, line: element.line, read)
        }
        try dives.add(
            dive, time: number("time", "time", DiveText.seconds(minutes:)), depth: number("depth", "depth", DiveText.metres),
            // Subsurface reads both names, and writes the first.
            temperature: number("temp", "temperature", DiveText.celsius)
                ?? number("temperature", "temperature", DiveText.celsius), line: element.line)
    }
}

/// Shearwater's XML: metres or feet by a flag, in some versions absolute pressures; times in seconds or milliseconds.
struct ShearwaterXML: DiveXML {
    private var dive: Int?
    private var record: [String: String]?
    private var units = ShearwaterUnits()

    mutating func take(_ event: XMLScanner.Event, into dives: DiveCollector) throws(ImportProblem) {
        switch event {
        case .start(let element):
            if element.name == "diveLog" {
                dive = try dives.begin(line: element.line)
                units = ShearwaterUnits()
            }
            if element.name == "diveLogRecord", dive != nil { record = [:] }
        case .end(let name, let text, let line):
            if let dive { try end(name, text, line: line, of: dive, dives) }
        }
    }

    private mutating func end(
        _ name: String, _ text: String, line: Int, of dive: Int, _ dives: DiveCollector
    ) throws(ImportProblem) {
        if name == "diveLogRecord" {
            guard let values = record else { return }
            record = nil
            let number = { (name: String, what: String) in
                dives.number(dive, values[name], called: what, line: line, DiveText.number)
            }
            let (time, depth) = (number("currentTime", "time"), number("currentDepth", "depth"))
            units.take(time: time, depth: depth)
            // A file that is cut short has no end of the dive.
            units.apply(to: dive, dives)
            return try dives.add(
                dive, time: time, depth: depth, temperature: number("waterTemp", "temperature"), line: line)
        }
        if record != nil {
            record?[name] = text
            return
        }
        switch name {
        case "startDate": dives.date(dive, text)
        case "imperialUnits": units.isImperial = ShearwaterUnits.isTrue(text)
        case "startSurfacePressure":
            let pressure = dives.number(dive, text, called: "pressure", line: line, DiveText.number)
            dives.change(dive) { $0.surfacePressure = pressure.map { WaterReading.Measured(value: $0, unit: "mbar") } }
        case "diveLog":
            units.apply(to: dive, dives)
            self.dive = nil
        default: break
        }
    }
}

/// What the numbers of a Shearwater log are, as far as it does not say so.
struct ShearwaterUnits {
    /// No computer logs twice in a second or once in 1000 s.
    private static let millisecondInterval = 1000.0
    /// In mbar: air is more, and no sample of a dive is at such a depth.
    private static let pressures = 500.0

    var isImperial = false
    /// Whether times are said to be milliseconds, or seconds; nil measures it.
    var isMilliseconds: Bool?
    private var shortest: Double?
    private var last: Double?
    private var isPressure: Bool?

    /// Takes a sample as it stands in the file.
    mutating func take(time: Double?, depth: Double?) {
        if let time {
            if let last, time > last { shortest = min(shortest ?? .infinity, time - last) }
            last = time
        }
        if let depth { isPressure = isPressure ?? (depth > Self.pressures) }
    }

    /// Gives a dive its units.
    func apply(to dive: Int, _ dives: DiveCollector) {
        let isMilliseconds = isMilliseconds ?? ((shortest ?? 0) >= Self.millisecondInterval)
        dives.change(dive) {
            $0.depthUnit = isPressure ?? false ? "mbar" : isImperial ? "ft" : "m"
            $0.temperatureUnit = isImperial ? "F" : "C"
            $0.timesPerSecond = isMilliseconds ? 1000 : 1
        }
    }

    /// Whether a flag is set, as .NET and SQLite write it.
    static func isTrue(_ text: String) -> Bool { ["true", "1", "yes"].contains(text.lowercased().filter { !$0.isWhitespace }) }
}
