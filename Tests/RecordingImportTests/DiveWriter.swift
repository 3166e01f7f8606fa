import Foundation

/// A dive that tests write.
struct WrittenDive {
    /// Unix seconds.
    var start: Double
    var samples: [(time: Double, depth: Double, celsius: Double?)]
}

/// The kinds of dive logs that tests write.
enum DiveWriter: String, CaseIterable {
    case subsurface, subsurfaceTable, uddf, shearwater, shearwaterTable

    var holdsSeveral: Bool { self != .shearwater && self != .shearwaterTable }
    var isXML: Bool { self != .subsurfaceTable && self != .shearwaterTable }

    func text(_ dives: [WrittenDive]) -> String {
        switch self {
        case .subsurface:
            Self.document("divelog program='subsurface' version='3'", "<dives>\(dives.map(Self.subsurface).joined())</dives>")
        case .uddf:
            Self.document(
                "uddf xmlns='http://www.streit.cc/uddf/3.2/' version='3.2.0'",
                "<generator><name>made up</name></generator><profiledata><repetitiongroup>"
                    + "\(dives.map(Self.uddf).joined())</repetitiongroup></profiledata>")
        case .shearwater: Self.document("dive version='4'", dives.map(Self.shearwater).joined())
        case .subsurfaceTable:
            "\"dive number\",\"date\",\"time\",\"sample time (min)\",\"sample depth (m)\",\"sample temperature (C)\"\n"
                + dives.enumerated().map { Self.rows($0.element, number: $0.offset + 1) }.joined()
        case .shearwaterTable:
            "Dive Number,GF Minimum,GF Maximum,Surface Interval (min),Imperial Units,Start Date,Start Surface Pressure,Product\n"
                + dives.map { dive in
                    "1,40,85,12,False,\(Self.date(dive.start)),1013,X\nTime (sec),Depth,First Stop Depth,Water Temp\n"
                        + dive.samples.map { "\(Int($0.time)),\($0.depth),0,\($0.celsius.map { "\($0)" } ?? "")\n" }.joined()
                }.joined()
        }
    }

    private static func document(_ root: String, _ content: String) -> String {
        "<?xml version='1.0' encoding='utf-8'?>\n<!-- made up -->\n<\(root)>\(content)</\(root.prefix { $0 != " " })>\n"
    }

    private static func subsurface(_ dive: WrittenDive) -> String {
        let parts = date(dive.start).split(separator: " ")
        return "<dive number='1' date='\(parts[0])' time='\(parts[1])' duration='1:10 min'>\n<divecomputer model='made up'>\n"
            + dive.samples.map { sample in
                "<sample time='\(minutes(sample.time)) min' depth='\(sample.depth) m'"
                    + (sample.celsius.map { " temp='\($0) C'" } ?? "") + "/>\n"
            }.joined() + "</divecomputer>\n</dive>\n"
    }

    private static func uddf(_ dive: WrittenDive) -> String {
        "<dive id='d'><informationbeforedive><datetime>\(date(dive.start).replacing(" ", with: "T"))Z</datetime>"
            + "</informationbeforedive><samples>\n"
            + dive.samples.map { sample in
                "<waypoint><depth>\(sample.depth)</depth><divetime>\(sample.time)</divetime>"
                    + (sample.celsius.map { "<temperature>\($0 + 273.15)</temperature>" } ?? "") + "</waypoint>\n"
            }.joined() + "</samples></dive>\n"
    }

    private static func shearwater(_ dive: WrittenDive) -> String {
        "<diveLog><number>1</number><imperialUnits>false</imperialUnits><startDate>\(date(dive.start))</startDate>"
            + "<startSurfacePressure>1013</startSurfacePressure><diveLogRecords>\n"
            + dive.samples.map { sample in
                "<diveLogRecord><currentTime>\(Int(sample.time))</currentTime><currentDepth>\(sample.depth)</currentDepth>"
                    + (sample.celsius.map { "<waterTemp>\($0)</waterTemp>" } ?? "") + "</diveLogRecord>\n"
            }.joined() + "</diveLogRecords></diveLog>"
    }

    private static func rows(_ dive: WrittenDive, number: Int) -> String {
        let parts = date(dive.start).split(separator: " ")
        return dive.samples.map { sample in
            "\"\(number)\",\"\(parts[0])\",\"\(parts[1])\",\"\(minutes(sample.time))\",\"\(sample.depth)\","
                + "\"\(sample.celsius.map { "\($0)" } ?? "")\"\n"
        }.joined()
    }

    private static func minutes(_ seconds: Double) -> String {
        let whole = Int(seconds)
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    private static func date(_ unix: Double) -> String {
        let text = Date(timeIntervalSince1970: unix).formatted(.iso8601)
        return text.replacing("T", with: " ").replacing("Z", with: "")
    }
}

extension Imported {
    /// One instant of a submersion.
    struct WaterSample {
        var at: Double
        var metres: Double?
        var celsius: Double?
    }

    /// The boots in the order of their first line.
    var boots: [String] {
        lines.compactMap { ($0["payload"] as? [String: Any])?["boot"] as? String }.reduce(into: []) { boots, boot in
            if !boots.contains(boot) { boots.append(boot) }
        }
    }

    /// The depths and temperatures of a boot by the unix time of each.
    func readings(of boot: String) -> [WaterSample] {
        var samples: [Double: WaterSample] = [:]
        for payload in payloads("submersion") where payload["boot"] as? String == boot {
            let zero = (payload["sent"] as? Double ?? 0) - (payload["uptime"] as? Double ?? 0)
            let entries =
                (payload["measurements"] as? [[String: Any]] ?? []) + (payload["temperatures"] as? [[String: Any]] ?? [])
            for entry in entries {
                let at = (((entry["timestamp"] as? Double ?? 0) + zero) * 1e6).rounded() / 1e6
                samples[at, default: WaterSample(at: at)].metres = Self.metres(entry["depth"]) ?? samples[at]?.metres
                samples[at, default: WaterSample(at: at)].celsius = Self.celsius(entry["temperature"]) ?? samples[at]?.celsius
            }
        }
        return samples.values.sorted { $0.at < $1.at }
    }

    private static func metres(_ quantity: Any?) -> Double? {
        let (value, unit) = parts(quantity)
        return value.map { unit == "ft" ? $0 * 0.3048 : $0 }
    }

    private static func celsius(_ quantity: Any?) -> Double? {
        let (value, unit) = parts(quantity)
        return value.map { unit == "K" ? $0 - 273.15 : unit == "F" ? ($0 - 32) / 1.8 : $0 }
    }

    private static func parts(_ quantity: Any?) -> (Double?, String?) {
        let quantity = quantity as? [String: Any]
        return (quantity?["value"] as? Double, quantity?["unit"] as? String)
    }
}
