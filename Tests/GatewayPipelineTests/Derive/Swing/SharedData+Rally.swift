import Foundation
import GatewayTestSupport
import TelemetryModel

extension SharedData {
    /// The recorded rally in its batches: seven forehands at about 802 Hz.
    static func tennisRally() throws -> [AccelerometerSamples] {
        let file = "applewatch-tennis-800hz/forehand-seven-shots-accelerometer.csv"
        guard let url = folder?.appending(path: file) else { return [] }
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n\n").map { block in
            var samples = AccelerometerSamples()
            for line in block.split(separator: "\n") {
                let cells = line.split(separator: ",").compactMap { Double($0) }
                guard cells.count == 4 else { continue }
                samples.timestamp.append(cells[0])
                samples.acceleration.append(SIMD3(cells[1], cells[2], cells[3]))
            }
            return samples
        }
    }
}
