import Foundation
package import GatewayRuntime

/// A real run as a phone would have sent it: cumulative counts with one start, pauses 0.3 s late, altitude once a second.
package struct RecordedRun: Sendable, CustomStringConvertible {
    /// One row of a run.
    package struct Row: Sendable {
        /// Seconds since the start.
        package var time: Double
        /// Cumulative, in m.
        package var distance: Double
        /// Steps a minute, of both feet.
        package var cadence: Double
        /// In m.
        package var altitude: Double?

        /// A row.
        package init(time: Double, distance: Double, cadence: Double, altitude: Double?) {
            self.time = time
            self.distance = distance
            self.cadence = cadence
            self.altitude = altitude
        }
    }

    /// The totals by the watch that recorded it, read from its file.
    package struct Totals: Decodable, Sendable {
        package var total_timer_time: Double
        package var total_distance: Double
        package var total_ascent: Double
        package var total_descent: Double
    }

    /// A stop or a start of the watch's timer.
    package struct Mark: Sendable {
        /// Seconds since the start.
        package var time: Double
        /// Whether the timer stopped.
        package var isPause: Bool

        /// A mark.
        package init(time: Double, isPause: Bool) {
            self.time = time
            self.isPause = isPause
        }
    }

    /// Its name.
    package var description: String
    /// By time; two of one instant may follow each other.
    package var rows: [Row]
    /// By time.
    package var marks: [Mark]

    /// A run.
    package init(_ description: String, rows: [Row], marks: [Mark]) {
        self.description = description
        self.rows = rows
        self.marks = marks
    }

    /// A run in shared/data/second-half/runs.
    package init(named name: String) throws {
        description = name
        rows = try SharedData.rows("second-half/runs/\(name).csv").dropFirst().compactMap { cells in
            guard cells.count > 4, let time = cells[0], let distance = cells[1] else { return nil }
            return Row(time: time, distance: distance, cadence: cells[3] ?? 0, altitude: cells[4])
        }
        let file = try Self.file(name)
        let timer = try JSONSerialization.jsonObject(with: file) as? [String: Any]
        marks = (timer?["timer"] as? [[Any]] ?? []).compactMap { mark in
            guard let time = (mark.first as? NSNumber)?.doubleValue, let event = mark.last as? String else { return nil }
            return Mark(time: time, isPause: event != "start")
        }
    }

    /// The totals of a run in shared/data/second-half/runs.
    package static func totals(of name: String) throws -> Totals { try JSONDecoder().decode(Totals.self, from: file(name)) }

    private static func file(_ name: String) throws -> Data {
        guard let folder = SharedData.folder else { return Data() }
        return try Data(contentsOf: folder.appending(path: "second-half/runs/\(name).json"))
    }

    /// The lateness of pauses and resumptions in s.
    package static let lateness = 0.3
    /// Device time minus the time of the run.
    package static let uptime = 1_000.0
    /// A row after a hole does not have the cadence in the hole.
    private static let longestStep = 5.0

    /// The frames in the order of sending.
    package func frames(device id: String = "runner", sendsAltitude: Bool = true) -> [RecordedMessage] {
        var device = TestDevice(id, boot: "run")
        let unix = device.offset + Self.uptime
        var sendings: [(at: Double, stream: String, body: String)] = marks.map { mark in
            let type = mark.isPause ? "pause" : "resume"
            return (
                mark.time + Self.lateness, "pedometer", #""events":[{"type":"\#(type)","date":\#(unix + mark.time)}]"#
            )
        }
        var steps = 0.0
        var last: Row?
        let sea = rows.lazy.compactMap(\.altitude).first ?? 0
        for row in rows {
            if let last {
                guard row.time > last.time else { continue }
                steps += row.cadence / 60 * min(row.time - last.time, Self.longestStep)
            }
            last = row
            sendings.append(
                (
                    row.time, "pedometer",
                    #""data":[{"startDate":\#(unix),"endDate":\#(unix + row.time),"numberOfSteps":\#(Int(steps)),"distance":\#(row.distance)}]"#
                ))
            guard sendsAltitude, let altitude = row.altitude else { continue }
            let time = Self.uptime + row.time
            sendings.append(
                (row.time, "altimeter", #""samples":{"timestamp":[\#(time)],"relativeAltitude":[\#(altitude - sea)]}"#))
        }
        return sendings.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map { sending in
            device.frame(sending.element.stream, uptime: Self.uptime + sending.element.at, sending.element.body)
        }
    }
}
