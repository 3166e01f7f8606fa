import GatewayPipeline

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Dives as UDDF 3.2, which programs for logs of dives import. Its units are metres, seconds and kelvins.
package struct UDDFWriter {
    /// Temperatures of a device that are kept for its next dive: of eleven hours.
    private static let mostTemperatures = 4096
    /// Seconds from one that is kept to the next.
    private static let temperatureInterval = 10.0

    private var temperatures: [String: [(at: Double, celsius: Double)]] = [:]
    /// The ids of the dives that were written: a message may come twice.
    private var written: Set<String> = []

    /// A writer that has written nothing.
    package init() {}

    /// The beginning of the document; `version` is that of the program.
    package static func header(version: String) -> String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <uddf version="3.2.0">
        <generator><name>Fathom</name><manufacturer id="fathom"><name>Fathom</name></manufacturer>\
        <version>\(version)</version></generator>
        <profiledata>

        """
    }

    /// The end of the document.
    package static let footer = "</profiledata>\n</uddf>\n"

    /// The text of `row`; nil where it is no dive, or one that was written. A water temperature is kept for the dive it belongs to.
    package mutating func text(_ row: ExportRow) -> String? {
        switch row.table.name {
        case "water-temperature":
            if let celsius = Self.number(row.message.member(["temperature"])) {
                var known = temperatures[row.device] ?? []
                if let last = known.last, (0..<Self.temperatureInterval).contains(row.at - last.at) { return nil }
                if known.count == Self.mostTemperatures { known.removeFirst() }
                known.append((row.at, celsius))
                temperatures[row.device] = known
            }
            return nil
        case "dive": return dive(row)
        default: return nil
        }
    }

    /// Why a row cannot be written; nil for one that can, and for what is no dive.
    package static func problem(of row: ExportRow) -> ExportRow.Problem? {
        guard row.table.name == "dive", times(of: row) == nil else { return nil }
        return ExportRow.Problem(description: "a dive without 'start' and 'duration', of less than 10,000,000 s, is left out")
    }

    private static func times(of row: ExportRow) -> (start: Double, duration: Double)? {
        guard let start = number(row.message.member(["start"])), let duration = number(row.message.member(["duration"])),
            (0..<1e7).contains(duration)
        else { return nil }
        return (start, duration)
    }

    /// A number that can be written: a recording may hold any.
    private static func number(_ value: MessageValue?) -> Double? { value?.number.flatMap { abs($0) < 9e9 ? $0 : nil } }

    private mutating func dive(_ row: ExportRow) -> String? {
        guard let (start, duration) = Self.times(of: row) else { return nil }
        let number = { Self.number(row.message.member([$0])) }
        let id = row.message.member(["id"])?.text ?? "\(row.device) \(start.shortest)"
        guard written.insert(id).inserted else { return nil }
        let second = start.rounded(.down)
        let known = temperatures.removeValue(forKey: row.device) ?? []
        let during = known.filter { (start...start + duration).contains($0.at) }
        temperatures[row.device] = known.filter { $0.at > start + duration }
        let after = [
            number("deepest").map { "<greatestdepth>\(Self.rounded($0))</greatestdepth>" },
            number("averageDepth").map { "<averagedepth>\(Self.rounded($0))</averagedepth>" },
            "<diveduration>\(Self.rounded(duration))</diveduration>",
            number("minimumTemperature").map { "<lowesttemperature>\(Self.kelvins($0))</lowesttemperature>" },
            "<notes><para>\(row.device)</para>\(Self.note(row, duration: duration))</notes>",
        ]
        let points = waypoints(
            row, offset: start - second, duration: duration, temperatures: during.map { ($0.at - start, $0.celsius) })
        // It has to hold a waypoint.
        let samples = points.isEmpty ? "" : "<samples>\n\(points)</samples>\n"
        return """
            <repetitiongroup id="group-\(written.count)">
            <dive id="dive-\(written.count)">
            <informationbeforedive><datetime>\(Self.date(second))</datetime>\
            <divenumber>\(written.count)</divenumber></informationbeforedive>
            \(samples)<informationafterdive>\(after.compactMap(\.self).joined())</informationafterdive>
            </dive>
            </repetitiongroup>

            """
    }

    /// A waypoint for each interval of the profile, and some at the surface: where the dive ends, and where it begins if no depth is known there.
    /// Times are from the whole second before the start. Many programs read whole seconds only, so that the end has one of its own.
    /// There are none where no depth is known: programs would draw the dive at the surface.
    private func waypoints(
        _ row: ExportRow, offset: Double, duration: Double, temperatures: [(time: Double, celsius: Double)]
    ) -> String {
        guard case .list(let depths)? = row.message.member(["profile", "depth"]),
            let interval = Self.number(row.message.member(["profile", "interval"])), interval > 0,
            depths.contains(where: { Self.number($0) != nil })
        else { return "" }
        var text = ""
        var rest = temperatures[...]
        var last = -1.0
        func write(_ time: Double, _ depth: Double) {
            last = time
            var celsius: Double?
            while let next = rest.first, next.time < time + interval { celsius = rest.removeFirst().celsius }
            text += "<waypoint><depth>\(Self.rounded(depth))</depth><divetime>\(Self.rounded(offset + time))</divetime>"
            if let celsius { text += "<temperature>\(Self.kelvins(celsius))</temperature>" }
            text += "</waypoint>\n"
        }
        for (index, depth) in depths.enumerated() where Double(index) * interval < duration {
            if let depth = Self.number(depth) { write(Double(index) * interval, depth) } else if index == 0 { write(0, 0) }
        }
        write(max(duration, (offset + last).rounded(.down) + 1 - offset), 0)
        return text
    }

    /// What is to be said of a profile with holes: programs draw a line through them, which may be far above the dive.
    private static func note(_ row: ExportRow, duration: Double) -> String {
        guard case .list(let depths)? = row.message.member(["profile", "depth"]),
            let interval = number(row.message.member(["profile", "interval"])), interval > 0
        else { return "" }
        // The profile ends with the last depth, which may be long before the dive does.
        let behind = max(0, (duration / interval).rounded(.down) - Double(depths.count))
        let missing = Double(depths.dropFirst().count { number($0) == nil }) + behind
        guard missing > 0 else { return "" }
        return "<para>The depth is not known, or was withheld, for \(rounded(missing * interval)) s of the profile.</para>"
    }

    private static func date(_ second: Double) -> String {
        Date(timeIntervalSince1970: second).formatted(Date.ISO8601FormatStyle())
    }

    private static func kelvins(_ celsius: Double) -> String { rounded(celsius + 273.15) }

    /// In thousandths, which is finer than any sensor.
    private static func rounded(_ value: Double) -> String { ((value * 1000).rounded() / 1000).shortest }
}
