import GatewayTestSupport
import SignalProcessing

/// Raw samples of a recording in `shared/data/people`.
struct RawRecording {
    struct Sample {
        /// Seconds since the sample before.
        var interval: Double
        /// In G with Core Motion's sign.
        var acceleration: SIMD3<Double>
        var rotationRate: SIMD3<Double>
        var magneticField: SIMD3<Double>?
        /// x, y, z, w; z up and y to magnetic north; nil where the error does not count.
        var truth: SIMD4<Double>?
    }

    var samples: [Sample]

    /// The trials of BROAD, which have the truth by cameras.
    static let trials = [
        "02_undisturbed_slow_rotation_B", "05_undisturbed_slow_rotation_with_breaks_B", "10_undisturbed_slow_translation_A",
        "16_undisturbed_fast_translation_B", "24_disturbed_tapping_A", "33_disturbed_attached_magnet_2cm",
    ]

    /// A trial of BROAD. Its acceleration has the opposite sign.
    static func trial(_ name: String) throws -> Self {
        let rows = try numbers("people/broad/\(name).csv.gz", columns: 15)
        return Self(
            samples: rows.indices.map { index in
                let row = rows[index]
                let isCounted = row[14] == 1 && !row[10].isNaN
                return Sample(
                    interval: index == 0 ? 0 : row[0] - rows[index - 1][0], acceleration: -SIMD3(row[1], row[2], row[3]),
                    rotationRate: SIMD3(row[4], row[5], row[6]), magneticField: SIMD3(row[7], row[8], row[9]),
                    truth: isCounted ? SIMD4(row[11], row[12], row[13], row[10]) : nil)
            })
    }

    /// All sets of exercises of one subject of SPAR, one after the other with gaps.
    static func exercises(subject: Int) throws -> Self {
        var samples: [Sample] = []
        for name in try SharedData.names("people/spar").filter({ $0.hasPrefix("s0\(subject)_") }) {
            let rows = try numbers("people/spar/\(name)", columns: 7)
            samples += rows.indices.map { index in
                let row = rows[index]
                return Sample(
                    interval: index == 0 ? 10 : row[0] - rows[index - 1][0], acceleration: SIMD3(row[1], row[2], row[3]),
                    rotationRate: SIMD3(row[4], row[5], row[6]))
            }
        }
        return Self(samples: samples)
    }

    /// The windows of a padel recording, with a gap before each.
    static func padel(_ name: String) throws -> Self {
        let rows = try numbers("people/padel/\(name).csv.gz", columns: 8)
        return Self(
            samples: rows.indices.map { index in
                let row = rows[index]
                let isFirst = index == 0 || rows[index - 1][0] != row[0]
                return Sample(
                    interval: isFirst ? 10 : row[1] - rows[index - 1][1], acceleration: SIMD3(row[2], row[3], row[4]),
                    rotationRate: SIMD3(row[5], row[6], row[7]))
            })
    }

    /// The rows without the header; what is no number is NaN.
    private static func numbers(_ path: String, columns: Int) throws -> [[Double]] {
        try SharedData.gzippedRows(path).dropFirst().map { row in row.map { $0 ?? .nan } }.filter { $0.count == columns }
    }
}
