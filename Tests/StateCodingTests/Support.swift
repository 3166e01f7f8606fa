import StateCoding
import Testing

/// What is read back from the document of `value`.
func copy<T: Codable>(_ value: T) throws -> T { try StateCoder.decode(T.self, from: StateCoder.encode(value)) }

/// Requires that the document of `value` reads back as an equal value.
func expectCopy<T: Codable & Equatable>(_ value: T, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try copy(value) == value, sourceLocation: sourceLocation)
}

/// The document with the checksum that fits its bytes, however they have changed.
func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let contents = Array(bytes.dropLast(8))
    let sum = contents.withUnsafeBytes { Checksum.of($0) }
    return contents + withUnsafeBytes(of: sum.littleEndian) { Array($0) }
}

enum Stream: String, Codable, CaseIterable, CodingKeyRepresentable { case motion = "head-motion", depth }

enum Phase: Codable, Hashable {
    case idle
    case moving(speed: Double, since: UInt64?)
    case named(String)
    indirect case after(Phase, [Phase])
}

struct Point: Codable, Hashable { var x = 1.5, y = -2.0 }

/// Every shape of state at once.
struct Everything: Codable, Equatable {
    var flag = true
    var text = "grüße \u{0} 🙂, a name longer than fifteen bytes"
    var small = Int8.min, wide = Int64.min, huge = UInt64.max, byte = UInt8.max
    var single = Float.pi, double = -0.0
    var absent: Int?
    var present: Int? = 0
    var columns = [1.0, .infinity, -.leastNonzeroMagnitude]
    var bytes: [UInt8] = [0, 255, 128]
    var integers = [Int.min, 0, .max]
    var floats: [Float] = [1, -.infinity]
    var emptyTexts: [String] = []
    var optionals: [Double?] = [nil, 1]
    var nested: [[Point?]] = [[Point(), nil], []]
    var vector = SIMD4<Double>(1, 2, 3, 4)
    var span = 1.0...2.0
    var range = 3..<7
    var set: Set<Stream> = [.motion, .depth]
    var byName = ["a": Point(), "": Point(x: 0, y: 0)]
    var byStream = [Stream.motion: [1.0], .depth: []]
    var byNumber = [-3: "three"]
    var byPoint = [Point(): Phase.idle, Point(x: 9): .named("x")]
    var phases: [Phase] = [.idle, .moving(speed: 1, since: nil), .after(.named(""), [.moving(speed: 2, since: 3)])]
}
