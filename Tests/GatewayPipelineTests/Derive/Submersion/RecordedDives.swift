import Foundation
import GatewayTestSupport
import TelemetryModel

/// The recorded dives beside the repository; none of them is part of it.
enum RecordedDives {
    /// The measurements of a file of rows with `unix_s` or of one row a second, by time. A row with no depth but a
    /// pressure counts where the file names the pressure at the surface.
    static func measurements(of name: String) throws -> [SubmersionMeasurement] {
        guard let folder = SharedData.folder else { return [] }
        let text = try String(contentsOf: folder.appendingPathComponent("dives/\(name).csv"), encoding: .utf8)
        let lines = text.split(whereSeparator: \.isNewline)
        return name.hasPrefix("seabear") ? perSecond(lines) : timed(lines)
    }

    private static func timed(_ lines: [Substring]) -> [SubmersionMeasurement] {
        guard let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false) else { return [] }
        let isPressureUsed = header.contains("surface_pressure_pa")
        let pressure = header.firstIndex(of: "abs_pressure_pa")
        return lines.dropFirst().compactMap { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard let seconds = Double(cells[0]) else { return nil }
            return SubmersionMeasurement(
                time: DeviceTime(seconds), depth: Double(cells[1]),
                pressure: pressure.flatMap { Double(cells[$0]) }.map { $0 / 1000 },
                surfacePressure: isPressureUsed ? 101.2524 : nil)
        }
    }

    private static func perSecond(_ lines: [Substring]) -> [SubmersionMeasurement] {
        let depths = lines.drop { !$0.hasPrefix("0;1") }.dropFirst().compactMap { line in
            line.split(separator: ";").first.flatMap { Double($0) }
        }
        return depths.enumerated().map { SubmersionMeasurement(time: DeviceTime(Double($0)), depth: $1) }
    }
}
