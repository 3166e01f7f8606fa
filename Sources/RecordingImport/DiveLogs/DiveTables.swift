/// CSV files that have several dives, or rows before the samples.
enum DiveTables {
    /// Reads Subsurface's "CSV dive profile": a row for each sample, with number, date and time of its dive.
    static func subsurface(_ table: Table, into dives: DiveCollector) throws(ImportProblem) {
        let columns = try table.readHeader { header throws(ImportProblem) in try SubsurfaceColumns(header) }
        var known: [String: Int] = [:]
        while let row = try table.next() {
            let (day, time) = (row.text(columns.date.index), row.text(columns.time.index))
            let key = "\(row.text(columns.number.index))|\(day)|\(time)"
            let dive: Int
            if let begun = known[key] {
                dive = begun
            } else {
                dive = try dives.begin(line: row.line)
                known[key] = dive
                dives.date(dive, "\(day) \(time)")
            }
            let number = { (column: Column?, what: String, read: (String) -> Double?) in
                dives.number(dive, column.map { row.text($0.index) }, called: what, line: row.line, read)
            }
            try dives.add(
                dive, time: number(columns.sampleTime, "time", DiveText.seconds(minutes:)),
                depth: number(columns.depth, "depth") { DiveText.metres($0 + " " + (columns.depth.unit ?? "m")) },
                temperature: number(columns.temperature, "temperature") {
                    DiveText.celsius($0 + " " + (columns.temperature?.unit ?? "C"))
                }, line: row.line)
        }
    }

    /// Reads Shearwater's CSV: a header and a row of the dive, a header and rows of the samples.
    static func shearwater(_ table: Table, into dives: DiveCollector) throws(ImportProblem) {
        let summary = try table.readHeader { header throws(ImportProblem) in header }
        guard let values = try table.next(), let names = try table.next() else {
            throw ImportProblem("holds no row after the header", file: table.file)
        }
        let dive = try dives.begin(line: values.line)
        var units = ShearwaterUnits()
        if let imperial = try summary.find("Imperial Units") {
            units.isImperial = ShearwaterUnits.isTrue(values.text(imperial.index))
        }
        let cells = values.cells?.count ?? 0
        // Numbers in the row may have commas without quotes, so what is behind them is counted from the end.
        if let pressure = try summary.find("Start Surface Pressure"),
            let value = DiveText.number(values.text(cells - summary.columns.count + pressure.index))
        {
            dives.change(dive) { $0.surfacePressure = WaterReading.Measured(value: value, unit: "mbar") }
        }
        if let start = try summary.find("Start Date") {
            let date = (0..<cells).lazy.map(values.text).first(where: DiveText.isDate)
            dives.date(dive, date ?? values.text(start.index))
        }
        let header = Header(names, file: table.file)
        let time = header.columns.first { $0.title == "Time" }
        guard let time, let unit = time.unit, ["sec", "s", "ms", "msec"].contains(unit), let depth = try header.find("Depth")
        else {
            throw ImportProblem("no column \"Time (sec)\" and \"Depth\"; \(header.listing)", file: table.file, line: names.line)
        }
        units.isMilliseconds = unit.hasPrefix("m")
        let temperature = try header.find("Water Temp")
        table.columnCount = header.columns.count
        while let row = try table.next() {
            guard !row.isLong else {
                dives.change(dive) { $0.report.rows += 1 }
                dives.drop(dive, row.tooLong, line: row.line)
                continue
            }
            let number = { (column: Column, what: String) in
                dives.number(dive, row.text(column.index), called: what, line: row.line, DiveText.number)
            }
            let (time, depth) = (number(time, "time"), number(depth, "depth"))
            units.take(time: time, depth: depth)
            try dives.add(
                dive, time: time, depth: depth, temperature: temperature.flatMap { number($0, "temperature") }, line: row.line)
        }
        units.apply(to: dive, dives)
    }
}

/// The columns of Subsurface's "CSV dive profile".
private struct SubsurfaceColumns {
    var number: Column
    var date: Column
    var time: Column
    var sampleTime: Column
    var depth: Column
    var temperature: Column?

    init(_ header: Header) throws(ImportProblem) {
        let found = try header.require(["dive number", "date", "time", "sample time", "sample depth"])
        (number, date, time, sampleTime, depth) = (found[0], found[1], found[2], found[3], found[4])
        temperature = try header.find("sample temperature")
        for column in [depth, temperature].compactMap(\.self) where !["m", "ft", "C", "F", nil].contains(column.unit) {
            throw ImportProblem(
                "the unit \(ImportProblem.quoted(column.unit ?? "")) is not known", file: header.file, line: header.line,
                column: column.name)
        }
    }
}
