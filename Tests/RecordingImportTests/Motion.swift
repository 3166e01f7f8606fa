import Foundation

/// Samples of a device that turns about all its axes, in Core Motion's units and signs.
struct Motion {
    var seconds: Double
    var attitude: [Double]
    var rotationRate = [0.25, -0.5, 1.5]
    var userAcceleration = [0.125, -0.0625, 0.5]
    /// R(q)^T (0, 0, -1), worked out by hand here.
    var gravity: [Double]

    static let names =
        ["X", "Y", "Z", "W"].map { "quaternion\($0)" } + ["X", "Y", "Z"].map { "rotationRate\($0)" }
        + ["X", "Y", "Z"].map { "acceleration\($0)" } + ["X", "Y", "Z"].map { "gravity\($0)" }

    init(seconds: Double) {
        self.seconds = seconds
        let angle = 0.4 + 0.3 * seconds
        let axis = [0.48, 0.6, 0.64]
        attitude = axis.map { $0 * sin(angle / 2) } + [cos(angle / 2)]
        let (x, y, z, w) = (attitude[0], attitude[1], attitude[2], attitude[3])
        gravity = [2 * (w * y - x * z), -2 * (w * x + y * z), 2 * (x * x + y * y) - 1]
    }

    var values: [Double] { attitude + rotationRate + userAcceleration + gravity }

    static func series(_ count: Int, every interval: Double) -> [Motion] {
        (0..<count).map { Motion(seconds: Double($0) * interval) }
    }

    /// A CSV file of Sensor Logger; `change` rewrites a sample as another setting of the app would write it.
    static func sensorLogger(
        _ samples: [Motion], start: Int64 = 1_783_160_371_379_516_160, location: String? = nil, order: [String]? = nil,
        _ change: (inout Motion) -> Void = { _ in }
    ) -> String {
        let order = order ?? names
        let lines = samples.map { sample in
            var sample = sample
            change(&sample)
            let cells = Dictionary(uniqueKeysWithValues: zip(names, sample.values))
            let time = start + Int64(sample.seconds * 1e9)
            return
                ([location, "\(time)", "\(sample.seconds)"].compactMap(\.self) + order.map { "\(cells[$0] ?? .nan)" })
                .joined(separator: ",")
        }
        let header = [location == nil ? nil : "devicelocation", "time", "seconds_elapsed"].compactMap(\.self) + order
        return ([header.joined(separator: ",")] + lines).joined(separator: "\n") + "\n"
    }

    mutating func standardise(quaternion: Bool) {
        gravity = gravity.map { -$0 * 9.80665 }
        userAcceleration = userAcceleration.map { -$0 * 9.80665 }
        if quaternion { attitude = zip(attitude, [-1, 1, -1, 1]).map(*) }
    }
}
