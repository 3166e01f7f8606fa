import GatewayTestSupport
import StateCoding
import Testing

@Suite("State coding: what is written is read back")
struct RoundTripTests {
    @Test("every shape of state comes back as it was")
    func everything() throws { try expectCopy(Everything()) }

    @Test("values without a container come back as they were")
    func bareValues() throws {
        try expectCopy(5)
        try expectCopy("text")
        try expectCopy(Optional("text"))
        try expectCopy(String?.none)
        try expectCopy([Point(), nil])
        try expectCopy([Double]())
        try expectCopy([[UInt8]]())
        try expectCopy(Stream.depth)
        try expectCopy(Phase.idle)
        try expectCopy([UInt64.max, 0])
    }

    @Test("each integer type comes back at its ends, and every power of two in between")
    func integers() throws {
        func check<I: FixedWidthInteger & Codable>(_ type: I.Type) throws {
            try expectCopy([I.min, I.max])
            try expectCopy([I.min: I.max])
            for shift in 0..<I.bitWidth {
                let power = I(truncatingIfNeeded: 1) << I(shift)
                try expectCopy(Set([power, power &- 1, 0 &- power]))
            }
        }
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(UInt.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
    }

    @Test("doubles and floats keep every bit, alone and in arrays")
    func bits() throws {
        let doubles: [Double] = [
            .nan, .signalingNaN, -0.0, .infinity, -.infinity, .ulpOfOne, .leastNonzeroMagnitude,
            Double(bitPattern: 0xFFF8_0000_DEAD_BEEF),
        ]
        #expect(try copy(doubles).map(\.bitPattern) == doubles.map(\.bitPattern))
        #expect(try copy(doubles.map(Optional.some)).map(\.?.bitPattern) == doubles.map(\.bitPattern))
        let floats: [Float] = [.nan, -0.0, -.infinity, Float(bitPattern: 0xFFC0_BEEF)]
        #expect(try copy(floats).map(\.bitPattern) == floats.map(\.bitPattern))
        #expect(try copy(floats.map(Optional.some)).map(\.?.bitPattern) == floats.map(\.bitPattern))
    }

    @Test("arrays of numbers take their memory and little more")
    func blobs() throws {
        for count in [0, 1, 15, 16, 799, 800, 5000] {
            let bytes = try StateCoder.encode([Double](repeating: 1, count: count))
            #expect(bytes.count <= 8 * count + 24)
            try expectCopy((0..<count).map(Double.init))
        }
    }

    @Test("times at an even rate, equal values and counts are packed, and keep every bit")
    func packed() throws {
        let times = (0..<100).map { 280_501.25 + 0.005 * Double($0) }
        let bytes = try StateCoder.encode(times)
        #expect(bytes.count < 8 * 100 / 2)
        #expect(try copy(times).map(\.bitPattern) == times.map(\.bitPattern))
        #expect(try StateCoder.encode([Double](repeating: -1, count: 100)).count < 100 + 50)
        #expect(try StateCoder.encode(Array(0..<100)).count < 100 + 50)
        try expectCopy(Array(0..<100))
        try expectCopy([-5, -5, -5, -5, 7, 7, 7])
        try expectCopy([Int.max, .min, .max, .min, 0])
    }

    @Test("any numbers come back, packed or not")
    func anyNumbers() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let bits = Int.random(in: 1...64, using: &random)
            let patterns = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt64.random(in: 0...UInt64.max >> UInt64(64 - bits), using: &random)
            }
            #expect(try copy(patterns.map(Double.init(bitPattern:))).map(\.bitPattern) == patterns)
            try expectCopy(patterns.map { Int(truncatingIfNeeded: $0) })
        }
    }

    @Test("an array of numbers written element by element is read as an array")
    func elementwise() throws {
        let bytes = try StateCoder.encode(ContiguousArray([1.0, 2]))
        #expect(try StateCoder.decode([Double].self, from: bytes) == [1, 2])
    }

    @Test("a key is named once, however many values have it")
    func interning() throws {
        let one = try StateCoder.encode([Point()]).count
        let many = try StateCoder.encode([Point](repeating: Point(), count: 101)).count
        #expect(many - one == 100 * (5 + 2 * (1 + 9)))
    }

    @Test("a thousand keys come back under their names")
    func manyKeys() throws {
        try expectCopy(Dictionary(uniqueKeysWithValues: (0..<1000).map { ("a rather long name \($0)", $0) }))
    }

    @Test("values nest 64 deep, and no deeper")
    func depth() throws {
        func chain(_ count: Int) -> Chain { (1..<count).reduce(Chain()) { chain, _ in Chain(next: [chain]) } }
        try expectCopy([chain(32)])
        #expect { try StateCoder.encode(chain(33)) } throws: { error in
            (error as? StateCodingError)?.reason == .invalid("nested deeper than 64")
        }
    }
}

struct Chain: Codable, Equatable { var next: [Chain] = [] }
