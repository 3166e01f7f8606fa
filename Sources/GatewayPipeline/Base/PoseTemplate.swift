internal import Foundation

/// A pose: its name, and the direction of gravity in the device's axes, for a watch whose crown is on the right.
package struct PoseTemplate: Sendable, Equatable, Codable, LosslessStringConvertible {
    /// The name, `[A-Za-z0-9_-]{1,32}`.
    package let name: String
    /// Of unit length.
    package let gravity: SIMD3<Double>

    /// A template; nil for a name with other characters and for a vector without a direction.
    package init?(name: String, gravity: SIMD3<Double>) {
        let length = (gravity * gravity).sum().squareRoot()
        guard Self.isName(name), length.isFinite, length > 1e-3 else { return nil }
        self.name = name
        self.gravity = gravity / length
    }

    /// Reads `name x y z`.
    package init?(_ description: String) {
        let words = description.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Double($0) }
        guard words.count == 4, numbers.count == 3 else { return nil }
        self.init(name: String(words[0]), gravity: SIMD3(numbers[0], numbers[1], numbers[2]))
    }

    /// `name x y z`.
    package var description: String { "\(name) \(gravity.x) \(gravity.y) \(gravity.z)" }

    /// Whether a text may be the name of a pose.
    package static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The angle in rad between gravity, of unit length, and the template.
    package func angle(to gravity: SIMD3<Double>) -> Double {
        // By atan2 rather than acos of the product, which loses half its digits at small angles.
        let (a, b) = (self.gravity, gravity)
        let cross = SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        return atan2((cross * cross).sum().squareRoot(), (a * b).sum())
    }
}
