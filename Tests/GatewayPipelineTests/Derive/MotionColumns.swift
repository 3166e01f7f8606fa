import FleetSimulator
import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import TelemetryModel

extension MotionSamples {
    /// Appends a sample whose gravity, rotation rate and user acceleration are given.
    mutating func append(_ time: Double, gravity: SIMD3<Double>, rate: SIMD3<Double> = .zero, user: SIMD3<Double> = .zero) {
        timestamp.append(time)
        attitude.append(SIMD4(0, 0, 0, 1))
        self.gravity.append(gravity)
        rotationRate.append(rate)
        userAcceleration.append(user)
    }

    /// Motion of a recording that holds the acceleration alone: gravity is its slow part (0.3 Hz), and the rotation rate zero.
    static func accelerationOnly(_ rows: [(time: Double, acceleration: SIMD3<Double>)]) -> Self {
        var samples = Self()
        var slow = rows.first?.acceleration ?? SIMD3(0, 0, -1)
        var previous = rows.first?.time ?? 0
        for row in rows where samples.timestamp.last.map({ $0 < row.time }) ?? true {
            let share = 1 - exp(-(row.time - previous) * 2 * .pi * 0.3)
            slow += (row.acceleration - slow) * share
            previous = row.time
            let length = max(1e-3, (slow * slow).sum().squareRoot())
            samples.append(row.time, gravity: slow / length, user: row.acceleration - slow / length)
        }
        return samples
    }

    /// Samples to which `append` adds numbers that are not finite or huge, and `usual` at every fifth.
    static func hostile(
        _ count: Int, hertz: Double = 50, usual: Double = 0.6, _ append: (inout Self, _ time: Double, SIMD3<Double>) -> Void
    ) -> Self {
        var samples = Self()
        for index in 0..<count {
            let value = [Double.nan, .infinity, 1e308, -1e308, usual][index % 5]
            append(&samples, 100 + Double(index) / hertz, SIMD3(repeating: value))
        }
        return samples
    }

    /// The samples in frames of `size`.
    func frames(of size: Int) -> [Self] {
        stride(from: 0, to: count, by: size).map { slice($0..<Swift.min($0 + size, count)) }
    }
}

extension SharedData {
    /// Time and acceleration of a recording of `second-half`, without rows that lack a number.
    static func acceleration(_ path: String) throws -> [(time: Double, acceleration: SIMD3<Double>)] {
        try gzippedRows("second-half/\(path)").compactMap { (row) -> (time: Double, acceleration: SIMD3<Double>)? in
            guard row.count >= 4, let time = row[0], let x = row[1], let y = row[2], let z = row[3] else { return nil }
            return (time, SIMD3(x, y, z))
        }
    }

    /// The names of the files in a folder, in order.
    static func names(_ path: String) throws -> [String] {
        guard let folder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path).sorted()
    }

    /// The rows of a CSV file that gzip has packed.
    static func gzippedRows(_ path: String) throws -> [[Double?]] {
        guard let folder else { return [] }
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/bin/gzip")
        gzip.arguments = ["-dc", folder.appending(path: path).path]
        let pipe = Pipe()
        gzip.standardOutput = pipe
        try gzip.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        gzip.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
            line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        }
    }

    /// The recordings of walks, and of a healthy wrist, in `second-half`.
    static var walks: [String] {
        ["armband", "backpocket", "bag", "frontpocket", "hand", "neckpouch"].flatMap { place in
            ["steps/user1_\(place).csv.gz", "steps/user2_\(place).csv.gz"]
        }
    }
}

extension RecordedMessage {
    /// What a simulated device sends, as it arrives.
    init(_ message: SimulatedMessage) {
        self.init(
            at: message.at + 0.05,
            message: InboundMessage(topic: message.topic(), payload: message.payload, retain: message.retain))
    }
}

extension PipelineHarness {
    /// What is published for a simulated device while the derivations of `settings` run, and in `waiting` s after its last message.
    static func run(
        _ device: any SimulatedDevice, settings: PipelineSettings = PipelineHarness.settings,
        policy: AccessPolicy = AccessPolicy(unknown: .everything), shuffled seed: UInt64? = nil, waiting: Double = 0
    ) -> [DerivedJSON] {
        var harness = PipelineHarness(settings: settings, policy: policy)
        var random = SeededGenerator(seed: seed ?? 0)
        let frames = Fleet([device]).map { message in
            var frame = RecordedMessage(message)
            if seed != nil, !message.retain { frame.at += Double.random(in: 0...2, using: &random) }
            return frame
        }
        let messages = harness.send(frames.sorted { $0.at < $1.at })
        let last = frames.map(\.at).max() ?? 0
        return messages + (waiting > 0 ? harness.tick(at: last + waiting) : []) + harness.end()
    }
}
