/// UDDF 2 and 3, in metres, seconds, kelvins and pascals.
struct UDDF: DiveXML {
    /// No water is as cold, in kelvins: a lower number is in degrees.
    private static let coldest = 200.0

    private var path: [String] = []
    private var dive: Int?
    private var waypoint: (line: Int, values: [String: String])?
    /// The parts of a date of UDDF 2.
    private var date: [String: String] = [:]
    /// A sample of UDDF 2 without a waypoint: `<d>` and `<t>`, or `<d>` alone where `<delta>` says how far they are apart.
    private var (depth, time): (String?, String?)
    private var (interval, place): (Double?, Int) = (nil, 0)

    mutating func take(_ event: XMLScanner.Event, into dives: DiveCollector) throws(ImportProblem) {
        switch event {
        case .start(let element):
            path.append(element.name)
            if element.name == "dive", path.dropLast().last == "repetitiongroup" {
                let index = try dives.begin(line: element.line)
                dives.change(index) { $0.temperatureUnit = "K" }
                dive = index
                (date, interval, place) = ([:], nil, 0)
            }
            if element.name == "waypoint", dive != nil { waypoint = (element.line, [:]) }
        case .end(let name, let text, let line):
            path.removeLast()
            if let dive { try end(name, text, line: line, of: dive, dives) }
        }
    }

    private mutating func end(
        _ name: String, _ text: String, line: Int, of dive: Int, _ dives: DiveCollector
    ) throws(ImportProblem) {
        switch (path.last, name) {
        case ("repetitiongroup", "dive"): self.dive = nil
        case ("informationbeforedive", "datetime"): dives.date(dive, text)
        case ("date", _), ("time", _): if path.dropLast().last == "dive" { date[name] = text }
        case ("dive", "date"), ("dive", "time"): if let text = dateAndTime { dives.date(dive, text) }
        case ("informationbeforedive", "surfacepressure"):
            let pressure = dives.number(dive, text, called: "pressure", line: line, DiveText.number)
            dives.change(dive) { $0.surfacePressure = pressure.map { WaterReading.Measured(value: $0, unit: "Pa") } }
        case ("waypoint", "alarm"), ("waypoint", "switchmix"), ("samples", "switch"): dives.leaveOut("events")
        case ("waypoint", _): waypoint?.values[name] = text
        case (_, "waypoint"):
            guard let (line, values) = waypoint else { return }
            try add(values["divetime"], values["depth"], values["temperature"], line: line, to: dive, dives)
            waypoint = nil
        case ("samples", "delta"): interval = dives.number(dive, text, called: "time", line: line, DiveText.number)
        case ("samples", "d"), ("samples", "t"): try bare(name, text, line: line, of: dive, dives)
        case (_, "samples"): if depth != nil || time != nil { try addBare(line: line, to: dive, dives) }
        default: break
        }
    }

    /// The date of UDDF 2 as text; nil before its time of day.
    private var dateAndTime: String? {
        guard let year = date["year"], let hour = date["hour"] else { return nil }
        let digits = { (text: String?) in (text ?? "0").count == 1 ? "0" + (text ?? "0") : text ?? "" }
        let day = "\(year)-\(digits(date["month"]))-\(digits(date["day"]))"
        return "\(day) \(digits(hour)):\(digits(date["minute"])):\(digits(date["second"]))"
    }

    private mutating func bare(
        _ name: String, _ text: String, line: Int, of dive: Int, _ dives: DiveCollector
    ) throws(ImportProblem) {
        if name == "d", let interval {
            try add("\(Double(place) * interval)", text, nil, line: line, to: dive, dives)
            place += 1
            return
        }
        // One that has no other is a sample that lacks something.
        if name == "d" ? depth != nil : time != nil { try addBare(line: line, to: dive, dives) }
        if name == "d" { depth = text } else { time = text }
        if depth != nil, time != nil { try addBare(line: line, to: dive, dives) }
    }

    private mutating func addBare(line: Int, to dive: Int, _ dives: DiveCollector) throws(ImportProblem) {
        defer { (depth, time) = (nil, nil) }
        try add(time, depth, nil, line: line, to: dive, dives)
    }

    private func add(
        _ time: String?, _ depth: String?, _ temperature: String?, line: Int, to dive: Int, _ dives: DiveCollector
    ) throws(ImportProblem) {
        try dives.add(
            dive, time: dives.number(dive, time, called: "time", line: line, DiveText.number),
            depth: dives.number(dive, depth, called: "depth", line: line, DiveText.number),
            temperature: dives.number(dive, temperature, called: "temperature in kelvins", line: line) {
                DiveText.number($0).flatMap { $0 < Self.coldest ? nil : $0 }
            }, line: line)
    }
}
