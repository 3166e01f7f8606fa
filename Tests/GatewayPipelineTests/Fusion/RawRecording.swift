import GatewayPipeline
import GatewayTestSupport
import SignalProcessing
import TelemetryModel

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

    /// Its parts without gaps.
    var pieces: [[Sample]] {
        let starts = samples.indices.filter { $0 == 0 || samples[$0].interval > OrientationFilter.gapSeconds }
        return zip(starts, starts.dropFirst() + [samples.count]).map { Array(samples[$0..<$1]) }
    }

    /// What the filter finds, sample by sample.
    func attitudes(magnetometer: Bool) -> [SIMD4<Double>] {
        var filter = OrientationFilter(magnetometer: magnetometer)
        return samples.map { sample in
            filter.add(
                acceleration: sample.acceleration, rotationRate: sample.rotationRate,
                magneticField: magnetometer ? sample.magneticField : nil, interval: sample.interval
            ).attitude
        }
    }

    /// The rows without the header; what is no number is NaN.
    private static func numbers(_ path: String, columns: Int) throws -> [[Double]] {
        try SharedData.gzippedRows(path).dropFirst().map { row in row.map { $0 ?? .nan } }.filter { $0.count == columns }
    }
}

extension MotionSamples {
    /// What sensors measure of `self`, fused by the gateway.
    var fusedAnew: Self {
        let acceleration = timestamp.indices.map { gravity[$0] + userAcceleration[$0] }
        var samples = self
        (samples.attitude, samples.userAcceleration, samples.gravity) = (.init(), .init(), .init())
        var fusion = MotionFusion(usesMagnetometer: false)
        return fusion.fuse(samples, RawMotion(acceleration))
    }

    /// Raw samples without a gap, fused by the gateway; the first is at 100 s.
    static func fused(_ samples: [RawRecording.Sample]) -> Self {
        var time = 100.0
        let times = samples.indices.map { index in
            if index > 0 { time += samples[index].interval }
            return time
        }
        let rates = samples.map(\.rotationRate)
        let motion = Self(
            timestamp: times, rotationRate: VectorColumns(x: rates.map(\.x), y: rates.map(\.y), z: rates.map(\.z)))
        var fusion = MotionFusion(usesMagnetometer: false)
        return fusion.fuse(motion, RawMotion(samples.map(\.acceleration)))
    }
}

extension RawMotion {
    fileprivate init(_ acceleration: [SIMD3<Double>]) {
        self.init(
            acceleration: VectorColumns(x: acceleration.map(\.x), y: acceleration.map(\.y), z: acceleration.map(\.z)))
    }
}
