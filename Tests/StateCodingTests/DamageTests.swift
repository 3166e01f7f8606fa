import GatewayTestSupport
import StateCoding
import Testing

@Suite("State coding: documents that are not as they were written")
struct DamageTests {
    @Test("a document cut short anywhere is damaged")
    func truncation() throws {
        let bytes = try StateCoder.encode(Everything())
        for count in 0..<bytes.count { #expect(reason(Array(bytes[..<count])) == .damaged) }
    }

    @Test("a document with any one bit flipped is damaged")
    func flips() throws {
        let bytes = try StateCoder.encode(Everything())
        for bit in 0..<8 * bytes.count {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(reason(flipped) == .damaged)
        }
    }

    @Test("a document with bytes added is damaged")
    func additions() throws {
        let bytes = try StateCoder.encode(Everything())
        #expect(reason(bytes + [0]) == .damaged)
        #expect(reason([0] + bytes) == .damaged)
    }

    @Test("an intact document of another format is distinguished")
    func format() throws {
        var bytes = try StateCoder.encode(Everything())
        bytes[3] += 1
        #expect(reason(sealed(bytes)) == .unknownFormat)
    }

    @Test("a document cut short anywhere and sealed again is refused")
    func sealedTruncation() throws {
        let bytes = try StateCoder.encode(Everything())
        for count in 0..<bytes.count - 8 {
            #expect(reason(sealed(Array(bytes[..<count]) + [UInt8](repeating: 0, count: 8))) != nil)
        }
    }

    @Test("100 000 changed and sealed documents are refused or read, and never trap", .slow, arguments: 0..<10)
    func mutations(part: Int) throws {
        var random = SeededGenerator(seed: UInt64(part))
        let bytes = try StateCoder.encode(Everything())
        var refused = 0
        for _ in 0..<10_000 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&mutated, using: &random) }
            if reason(sealed(mutated)) != nil { refused += 1 }
        }
        #expect(refused > 1000)
    }

    @Test("arbitrary bytes behind a valid head are refused or read, and never trap", .slow)
    func arbitrary() throws {
        var random = SeededGenerator(seed: 99)
        for _ in 0..<20_000 {
            let body = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...20, using: &random) }
            let head = try Array(StateCoder.encode(true)[..<4])
            let table = withUnsafeBytes(of: UInt32(8 + body.count).littleEndian) { Array($0) }
            let document = sealed(head + table + body + [2, 1, 97, 1, 98] + [UInt8](repeating: 0, count: 8))
            _ = try? StateCoder.decode(Phase.self, from: document)
            _ = try? StateCoder.decode([String: [Point?]].self, from: document)
            _ = try? StateCoder.decode(Tree.self, from: document)
        }
    }

    @Test("containers nested without end are refused, not followed")
    func bottomless() throws {
        var body: [UInt8] = [1]
        for _ in 0..<10_000 { body = [14] + withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) } + body }
        let head = try Array(StateCoder.encode(true)[..<4])
        let table = withUnsafeBytes(of: UInt32(8 + body.count).littleEndian) { Array($0) }
        let document = sealed(head + table + body + [0] + [UInt8](repeating: 0, count: 8))
        let error = try #require(throws: StateCodingError.self) { try StateCoder.decode(Tree.self, from: document) }
        #expect(error.reason == .invalid("nested deeper than 64"))
    }

    private func reason(_ bytes: [UInt8]) -> StateCodingError.Reason? {
        do {
            _ = try StateCoder.decode(Everything.self, from: bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    private func mutate(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[index] = .random(in: 0...255, using: &random)
        case 2: bytes[index] = UInt8.random(in: 0...15, using: &random)
        case 3: bytes[index] = 255
        case 4: bytes.remove(at: index)
        default: bytes.insert(.random(in: 0...255, using: &random), at: index)
        }
    }
}

/// Nothing but lists in lists.
private struct Tree: Decodable {
    var branches: [Tree] = []

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { branches.append(try container.decode(Tree.self)) }
    }
}
