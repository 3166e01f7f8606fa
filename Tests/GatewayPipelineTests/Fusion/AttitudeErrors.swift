import Foundation
import GatewayTestSupport
import SignalProcessing

/// How far attitudes are from the truth of a trial: root mean squares in degrees.
struct AttitudeErrors {
    var inclination: Double
    /// After the mean heading is removed.
    var total: Double

    /// The errors of the samples that count.
    init(of attitudes: [SIMD4<Double>], in trial: RawRecording) {
        let differences = zip(attitudes, trial.samples).compactMap { attitude, sample in
            sample.truth.map { Quaternion.product(attitude, Quaternion.conjugate($0)) }
        }
        let headings = differences.map { 2 * atan2($0.z, $0.w) }
        let mean = atan2(headings.map { sin($0) }.reduce(0, +), headings.map { cos($0) }.reduce(0, +))
        let back = Quaternion.rotation(by: SIMD3(0, 0, -mean))
        func rootMeanSquare(_ angles: [Double]) -> Double {
            (angles.map { $0 * $0 }.reduce(0, +) / Double(angles.count)).squareRoot() * 180 / .pi
        }
        inclination = rootMeanSquare(differences.map { 2 * asin(min(($0.x * $0.x + $0.y * $0.y).squareRoot(), 1)) })
        total = rootMeanSquare(
            differences.map { Attitude.angle(between: Quaternion.product(back, $0), and: Quaternion.identity) })
    }
}

/// The authors' program, in the virtual environment of the Python package `vqf` that the variable FATHOM_VQF names.
enum AuthorsFilter {
    private static let folder = ProcessInfo.processInfo.environment["FATHOM_VQF"].flatMap { $0.isEmpty ? nil : $0 }

    /// Whether it is there.
    static let isThere = folder.map { FileManager.default.isExecutableFile(atPath: "\($0)/bin/python3") } ?? false

    /// What it finds in a trial, sample by sample; nil where it is not there.
    static func attitudes(_ name: String, magnetometer: Bool) throws -> [SIMD4<Double>]? {
        guard isThere, let folder, let data = SharedData.folder else { return nil }
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let python = Process()
        python.executableURL = URL(filePath: "\(folder)/bin/python3")
        python.arguments = [
            root.appending(path: "Benchmarks/fusion/reference.py").path, magnetometer ? "9D" : "6D",
            data.appending(path: "people/broad/\(name).csv.gz").path,
        ]
        let pipe = Pipe()
        python.standardOutput = pipe
        try python.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        python.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: ",").compactMap { Double($0) }
            return numbers.count == 4 ? SIMD4(numbers[0], numbers[1], numbers[2], numbers[3]) : nil
        }
    }
}
