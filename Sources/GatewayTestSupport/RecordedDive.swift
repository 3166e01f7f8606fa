package import GatewayRuntime

/// A real dive as a watch would have sent it.
package struct RecordedDive: Sendable, CustomStringConvertible {
    /// The file.
    package var file: String

    /// The dives that are shared.
    package static let all = [
        RecordedDive(file: "garmin_apnea_26dives_17m.csv"), RecordedDive(file: "garmin_ccr_62m_1hz.csv"),
        RecordedDive(file: "seabear_h3_apnea_70m_1hz.csv"), RecordedDive(file: "suunto_ocean_air_profile.csv"),
    ]

    /// The file's name.
    package var description: String { file }

    /// The rows; a file without times has a depth every second after its own header.
    private func cells() throws -> [[Double?]] {
        guard file.hasPrefix("seabear") else { return try SharedData.rows("dives/\(file)") }
        let depths = try SharedData.rows("dives/\(file)", separator: ";").drop { $0 != [0, 1] }.dropFirst()
        return depths.compactMap { $0.first ?? nil }.enumerated().map { [Double($0), $1] }
    }

    /// Frames of three measurements, moved so that the last is at `end` (unix s).
    package func frames(ending end: Double) throws -> [RecordedMessage] {
        let rows = try cells().compactMap { row -> (time: Double, depth: Double)? in
            guard row.count > 1, let time = row[0], let depth = row[1] else { return nil }
            return (time, depth)
        }
        guard let first = rows.first?.time, let last = rows.last?.time else { return [] }
        var device = TestDevice("diver", boot: "dive", offset: end - (last - first + 100) - 0.1)
        return stride(from: 0, to: rows.count, by: 3).map { start in
            let group = rows[start..<min(start + 3, rows.count)].map { row in
                (uptime: row.time - first + 100, depth: row.depth)
            }
            let measurements = group.map { #"{"timestamp":\#($0.uptime),"depth":{"value":\#($0.depth),"unit":"m"}}"# }.joined(
                separator: ",")
            return device.frame("submersion", uptime: (group.last?.uptime ?? 0) + 0.05, #""measurements":[\#(measurements)]"#)
        }
    }
}
