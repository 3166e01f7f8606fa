/// What a column of a dive log can hold.
package enum DiveField: String, ColumnField {
    /// When the row was measured.
    case time
    /// The date, where it stands apart from the time of day.
    case date
    /// The depth under the surface.
    case depth
    /// The temperature of the water.
    case temperature
    /// The absolute pressure at the depth.
    case pressure
    /// The pressure of the air at the surface; the last value is used for later rows.
    case surfacePressure

    /// The names under which logs are known to have it, in small letters alone and without a unit.
    var names: [String] {
        switch self {
        case .time:
            [
                "unix", "time", "timestamp", "datetime", "seconds", "minutes", "secondselapsed", "elapsed", "elapsedtime",
                "timeiso",
                "sampletime", "divetime", "runtime",
            ]
        case .date: ["date", "day"]
        case .depth: ["depth", "waterdepth"]
        case .temperature:
            [
                "temperature", "temp", "watertemperature", "watertemp", "temperatur", "wassertemperatur", "température",
                "ambienttemperature", "ambienttemp", "seawatertemperature", "sensortemperature",
            ]
        case .pressure: ["pressure", "absolutepressure", "abspressure", "absolute", "ambientpressure"]
        case .surfacePressure: ["surfacepressure"]
        }
    }

    /// The units by what stands in files, in small letters; the values are the wire contract's, and for times this module's.
    package var units: [String: String] {
        switch self {
        case .time: RowClock.Unit.spellings
        case .date: [:]
        case .depth:
            [
                "m": "m", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "ft": "ft", "feet": "ft", "foot": "ft",
                "cm": "cm",
                "centimeters": "cm", "centimetres": "cm", "fathom": "fathom", "fathoms": "fathom", "fm": "fathom",
                "ftm": "fathom",
            ]
        case .temperature:
            [
                "c": "C", "degc": "C", "deg c": "C", "℃": "C", "celsius": "C", "celcius": "C", "f": "F", "degf": "F",
                "deg f": "F", "℉": "F",
                "fahrenheit": "F", "k": "K", "kelvin": "K",
            ]
        case .pressure, .surfacePressure:
            [
                "pa": "Pa", "hpa": "hPa", "mbar": "mbar", "millibar": "mbar", "kpa": "kPa", "bar": "bar", "psi": "psi",
                "inhg": "inHg",
                "in hg": "inHg", "mmhg": "mmHg", "mm hg": "mmHg", "dbar": "dbar", "decibar": "dbar",
            ]
        }
    }

    package var maySignChange: Bool { self == .depth }

    /// The unit in the name of a column: in brackets, after the last `_`, or for times by the name itself.
    func unit(of column: Column) -> String? {
        if let unit = column.unit { return unit == "" ? nil : self.unit(unit) }
        let name = column.name.lowercased()
        if self == .time {
            if name.hasPrefix("unix") || name.hasPrefix("epoch") { return name.hasSuffix("ms") ? "unix_ms" : "unix_s" }
            if name.contains("iso") { return "iso" }
            if name.hasPrefix("seconds") { return "s" }
            if name.hasPrefix("minutes") { return "min" }
        }
        guard let suffix = name.split(whereSeparator: { "_ ".contains($0) }).last, suffix.count < name.count else { return nil }
        return unit(suffix)
    }

    /// Whether a column has one of the known names, with or without a unit after it.
    func isNamed(by column: Column) -> Bool {
        var parts = column.title.lowercased().split { $0 == "_" || $0 == " " }
        // Exports of logbooks have columns of the dive and of its samples.
        if parts.count > 1, parts.first == "sample" { parts.removeFirst() }
        if parts.count > 1, let last = parts.last, unit(last) != nil { parts.removeLast() }
        if parts.count > 1, parts.last == "in" { parts.removeLast() }
        return names.contains(parts.joined().filter(\.isLetter))
    }
}

/// Which column of a dive log holds what.
package typealias DiveColumn = NamedColumn<DiveField>
