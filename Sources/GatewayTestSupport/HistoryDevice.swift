package import GatewayRuntime

/// A device of a test that sends recorded acceleration.
package struct HistoryDevice {
    /// One sample.
    package struct Sample: Sendable {
        /// Unix time in s.
        package var time: Double
        /// Acceleration in G.
        package var x, y, z: Double

        /// A sample.
        package init(_ time: Double, _ x: Double, _ y: Double, _ z: Double) {
            (self.time, self.x, self.y, self.z) = (time, x, y, z)
        }
    }

    private var device: TestDevice
    private var sequence = 0
    private var identifier = 1_000

    /// A device; its clock begins at `start` in unix s.
    package init(_ id: String = "watch-1", boot: String = "b1", start: Double) {
        device = TestDevice(id, boot: boot, offset: start)
    }

    /// Frames of at most `size` samples each, sent one after the other, a tenth of a second apart from `sent` (unix s) on. Samples more than
    /// half a second apart are never in one frame.
    package mutating func frames(
        _ samples: [Sample], size: Int = 3_000, sent: Double, hasIdentifiers: Bool = true
    ) -> [RecordedMessage] {
        var frames: [RecordedMessage] = []
        var start = 0
        for index in samples.indices
        where index + 1 == samples.count || index + 1 - start == size || samples[index + 1].time - samples[index].time > 0.5001 {
            frames.append(frame(samples[start...index], sent: sent + 0.1 * Double(frames.count), hasIdentifiers: hasIdentifiers))
            start = index + 1
        }
        return frames
    }

    /// One frame; `seq` replaces the counted one.
    package mutating func frame(
        _ samples: ArraySlice<Sample>, sent: Double, seq: Int? = nil, hasIdentifiers: Bool = true
    ) -> RecordedMessage {
        func column(_ value: (Sample) -> Double) -> String { samples.map { "\(value($0))" }.joined(separator: ",") }
        let identifiers = (0..<samples.count).map { "\(identifier + $0)" }.joined(separator: ",")
        identifier += samples.count
        let number = seq ?? sequence
        sequence = number + 1
        return device.frame(
            "recorded-accelerometer", uptime: sent - device.offset, seq: number,
            """
            "samples":{\(hasIdentifiers ? #""identifier":[\#(identifiers)],"# : "")"startDate":[\(column(\.time))],\
            "x":[\(column(\.x))],"y":[\(column(\.y))],"z":[\(column(\.z))]}
            """)
    }
}
