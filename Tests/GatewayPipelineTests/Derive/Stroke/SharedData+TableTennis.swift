import GatewayTestSupport
import TelemetryModel

/// A recording of strokes against a ball robot, or of rest.
enum TableTennis: String, CaseIterable {
    case forehand = "tt_fast_forehand_topspin_1"
    case backhand = "tt_fast_backhand_topspin_1"
    case rest = "tt_rest_1"

    /// The recorded device motion; rows with blank cells are left out. SensorLog's columns: 5 is the time, 9-11 the rotation
    /// rate, 12-14 the user's acceleration, 20-22 gravity.
    func samples() throws -> MotionSamples {
        let columns = [5, 9, 10, 11, 20, 21, 22, 12, 13, 14]
        let rows = try SharedData.rows("tabletennis-50hz/\(rawValue).csv", separator: "|").compactMap { row in
            row.count > 22 ? columns.compactMap { row[$0] } : nil
        }.filter { $0.count == columns.count }
        let zeros = rows.map { _ in 0.0 }
        return MotionSamples(
            timestamp: rows.map { $0[0] }, attitude: QuaternionColumns(x: zeros, y: zeros, z: zeros, w: rows.map { _ in 1 }),
            rotationRate: VectorColumns(x: rows.map { $0[1] }, y: rows.map { $0[2] }, z: rows.map { $0[3] }),
            userAcceleration: VectorColumns(x: rows.map { $0[7] }, y: rows.map { $0[8] }, z: rows.map { $0[9] }),
            gravity: VectorColumns(x: rows.map { $0[4] }, y: rows.map { $0[5] }, z: rows.map { $0[6] }))
    }
}

extension MotionSamples {
    /// How many balls a robot that feeds one every 1.166 s fed meanwhile.
    var balls: Double { ((timestamp.last ?? 0) - (timestamp.first ?? 0)) / 1.166 }

    /// Every rotation `factor` times as fast.
    func scaled(_ factor: Double) -> Self {
        var scaled = self
        scaled.rotationRate.x = rotationRate.x.map { $0 * factor }
        scaled.rotationRate.y = rotationRate.y.map { $0 * factor }
        scaled.rotationRate.z = rotationRate.z.map { $0 * factor }
        return scaled
    }

    /// Straight lines between the samples, at `hertz`, from `offset` seconds after the first.
    func resampled(_ hertz: Double, offset: Double) -> Self {
        guard let first = timestamp.first, let last = timestamp.last else { return self }
        let times = Array(stride(from: first + offset, to: last, by: 1 / hertz))
        func column(_ values: [Double]) -> [Double] {
            var index = 0
            return times.map { time in
                while timestamp[index + 1] < time { index += 1 }
                let share = (time - timestamp[index]) / (timestamp[index + 1] - timestamp[index])
                return values[index] + share * (values[index + 1] - values[index])
            }
        }
        func vectors(_ columns: VectorColumns) -> VectorColumns {
            VectorColumns(x: column(columns.x), y: column(columns.y), z: column(columns.z))
        }
        return MotionSamples(timestamp: times, rotationRate: vectors(rotationRate), gravity: vectors(gravity))
    }
}
