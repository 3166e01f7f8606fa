package import GatewayRuntime

/// The seven-shot rally as a watch would have sent it.
package enum RecordedRally {
    /// When the racket met the ball, in seconds from the first sample.
    private static let impacts = [3.472, 5.310, 7.150, 9.722, 11.607, 13.449, 16.081]

    /// Frames of about a second, moved so that the last ends at `end` (unix s).
    package static func frames(ending end: Double) throws -> (frames: [RecordedMessage], impacts: [Double]) {
        let rows = try SharedData.rows("applewatch-tennis-800hz/forehand-seven-shots-accelerometer.csv")
            .compactMap { row in row.count == 4 ? row.compactMap(\.self) : nil }.filter { $0.count == 4 }
        guard let first = rows.first?[0], let last = rows.last?[0] else { return ([], []) }
        let offset = end - last - 0.1
        var device = TestDevice("batter", boot: "rally", offset: offset)
        var frames: [RecordedMessage] = []
        var batch: [[Double]] = []
        var edge = first + 0.49
        for row in rows {
            batch.append(row)
            if row[0] >= edge {
                edge += 1
                frames.append(frame(batch, of: &device))
                batch = []
            }
        }
        if !batch.isEmpty { frames.append(frame(batch, of: &device)) }
        return (frames, impacts.map { $0 + first + offset })
    }

    private static func frame(_ batch: [[Double]], of device: inout TestDevice) -> RecordedMessage {
        func column(_ index: Int) -> String { batch.map { "\($0[index])" }.joined(separator: ",") }
        return device.frame(
            "batched-imu", uptime: (batch.last?[0] ?? 0) + 0.05,
            #""accelerometer":{"timestamp":[\#(column(0))],"x":[\#(column(1))],"y":[\#(column(2))],"z":[\#(column(3))]}"#)
    }
}
