import FITDecoding
import Testing

@Suite("Decoding of FIT")
struct FITDecoderTests {
    private struct Decoded {
        var files = 0
        var messages: [FITMessage] = []
        var problems: [FITProblem] = []
    }

    /// Decodes bytes in pieces of a length.
    private func decoded(_ bytes: [UInt8], pieces: Int = 1 << 16) -> Decoded {
        var decoder = FITDecoder()
        var result = Decoded()
        var start = 0
        while true {
            let end = min(bytes.count, start + pieces)
            decoder.feed(Array(bytes[start..<end]))
            while let item = decoder.next() {
                switch item {
                case .file: result.files += 1
                case .message(let message): result.messages.append(message)
                case .problem(let problem): result.problems.append(problem)
                }
            }
            if start == end { return result }
            start = end
        }
    }

    private let dive = FITWriter.dive(
        (0..<20).map { second -> FITWriter.DiveSample in
            (1_700_000_000 + second, Double(second) / 4, 21, UInt32(101_325 + second * 2500))
        })

    @Test("the checksum is that of the standard's test")
    func checksum() {
        var checksum = FITChecksum()
        checksum.add("123456789".utf8)
        #expect(checksum.value == 0xBB3D)
    }

    @Test("reads numbers of either byte order, and none where the bytes say so", arguments: [false, true])
    func numbers(isBigEndian: Bool) {
        var writer = FITWriter(isBigEndian: isBigEndian)
        writer.define(
            5, 300,
            [
                (0, 2, 0x83), (1, 2, 0x83), (2, 4, 0x88), (3, 8, 0x89), (4, 4, 0x8C), (5, 4, 0x84), (6, 5, 7), (7, 1, 0x0A),
                (8, 8, 0x8E), (9, 8, 0x8F), (10, 2, 0x86), (11, 4, 0x88), (12, 1, 0x1F), (13, 0, 2),
            ])
        writer.message(
            5,
            writer.bytes(Int16(-1234)) + writer.bytes(Int16.max) + writer.bytes(Float(2.5).bitPattern)
                + writer.bytes((-0.125).bitPattern) + writer.bytes(UInt32(0)) + [1, 2, 3, 4] + Array("abcd\0".utf8) + [7]
                + writer.bytes(Int64.min) + writer.bytes(UInt64.max - 1) + [1, 2] + writer.bytes(UInt32.max) + [9])
        let result = decoded(writer.file())
        #expect(result.problems.isEmpty)
        let message = result.messages[0]
        #expect(message.number == 300)
        #expect(message.integer(0) == -1234)
        #expect(message.number(0, scale: 10, offset: 5) == -128.4)
        #expect(message.integer(1) == nil, "invalid")
        #expect(message.number(2, scale: 10) == 2.5)
        #expect(message.number(3) == -0.125)
        #expect(message.integer(4) == nil, "a zero that stands for none")
        #expect(message.integer(5) == nil, "a list")
        #expect(message.integer(6) == nil, "a text")
        #expect(message.integer(7) == 7)
        #expect(message.integer(8) == .min)
        #expect(message.integer(9) == nil, "more than the type holds")
        #expect(message.integer(10) == nil, "a size that is not the type's")
        #expect(message.number(11) == nil, "no number")
        #expect(message.integer(12) == nil && message.integer(13) == nil && message.integer(99) == nil)
        #expect(message.timestamp == nil)
    }

    @Test("passes over the fields of developers", arguments: [false, true])
    func developerFields(isBigEndian: Bool) {
        let samples: [FITWriter.DiveSample] = [(1_700_000_000, 1.5, 20, 116_000), (1_700_000_001, nil, -3, nil)]
        let result = decoded(FITWriter.dive(samples, isBigEndian: isBigEndian).file())
        #expect(result.problems.isEmpty)
        let records = result.messages.filter { $0.number == FITNumber.record }
        #expect(records.map { $0.timestamp.map { Int($0) + FITWriter.zero } } == [1_700_000_000, 1_700_000_001])
        #expect(records.map { FITRecord($0).depth } == [1.5, nil])
        #expect(records.map { FITRecord($0).temperature } == [20, -3])
        #expect(records.map { FITRecord($0).absolutePressure } == [116_000, nil])
    }

    @Test("times of five bits go on from the last whole one, over their turn")
    func compressedTimes() {
        var writer = FITWriter()
        writer.define(0, 20, [(253, 4, 0x86), (13, 1, 1)])
        writer.define(1, 20, [(13, 1, 1)])
        writer.compressed(1, time: 3, [9])
        writer.message(0, writer.bytes(UInt32(1_000_000_029)) + [10])
        for time: UInt32 in [1_000_000_029, 1_000_000_031, 1_000_000_033, 1_000_000_060] {
            writer.compressed(1, time: time, [11])
        }
        writer.message(0, writer.bytes(UInt32.max - 1) + [10])
        writer.compressed(1, time: 1, [12])
        let result = decoded(writer.file())
        #expect(
            result.messages.map(\.timestamp)
                == [nil, 1_000_000_029, 1_000_000_029, 1_000_000_031, 1_000_000_033, 1_000_000_060, .max - 1, 1])
    }

    @Test("gives the same in pieces of any length", arguments: [1, 2, 7, 64, 4096])
    func pieces(length: Int) {
        let bytes = dive.file() + FITWriter.dive([(1_700_100_000, 3, nil, nil)]).file(headerSize: 12)
        let result = decoded(bytes, pieces: length)
        #expect(result.files == 2)
        #expect(result.problems.isEmpty)
        #expect(result.messages.count == 23)
        #expect(result.messages.filter { $0.number == FITNumber.record }.compactMap { FITRecord($0).depth }.max() == 4.75)
    }

    @Test("reads a file that ends anywhere as far as it goes, and says where it ends")
    func truncated() {
        let bytes = dive.file()
        var last = 0
        for count in bytes.indices {
            let result = decoded(Array(bytes[..<count]), pieces: 50)
            #expect(result.problems.count == 1, "\(count)")
            if count >= 14 { #expect(result.problems == [.truncated(offset: count, missing: bytes.count - count)]) }
            #expect(result.messages.count >= last)
            last = result.messages.count
        }
        #expect(last == 21)
    }

    @Test("reports damage, and reads on where a FIT file begins next")
    func damage() {
        let next = FITWriter.dive([(1_700_100_000, 3, nil, nil)]).file()
        var bytes = dive.file()
        bytes[bytes.count - 10] ^= 0x40
        #expect(decoded(bytes + next).problems == [.checksum(offset: bytes.count - 2)])
        #expect(decoded(bytes + next).files == 2)

        var undefined = dive
        undefined.append(raw: [0x0B, 1, 2, 3])
        let place = undefined.file().count - 6
        #expect(decoded(undefined.file() + next).problems == [.undefined(offset: place, type: 11)])
        #expect(decoded(undefined.file() + next).messages.count == 23)

        var order = dive
        order.append(raw: [0x40, 0, 2, 0, 0, 1, 1, 1, 2])
        #expect(decoded(order.file() + next).problems == [.byteOrder(offset: order.file().count - 11)])
        #expect(decoded(order.file() + next).messages.count == 23)

        var long = dive
        long.append(raw: [0x01, 1])
        #expect(decoded(long.file() + next).problems == [.overrun(offset: long.file().count - 4)])
        #expect(decoded(long.file() + next).messages.count == 23)

        var header = dive.file()
        header[3] ^= 1
        #expect(decoded(header).problems == [.headerChecksum(offset: 0), .checksum(offset: header.count - 2)])
        #expect(decoded(dive.file() + [1, 2, 3]).problems == [.noHeader(offset: dive.file().count)])
        #expect(decoded(Array("time,depth\n1,2\n".utf8)).problems == [.noHeader(offset: 0)])
    }

    @Test("reads a recording that was not closed to its end", arguments: [0, UInt32.max])
    func unfinished(length: UInt32) {
        let result = decoded(dive.file(length: length))
        #expect(result.messages.count == 21)
        #expect(result.problems == [.unfinished(offset: dive.file().count - 2)])
        #expect(decoded(Array(dive.file(length: length).dropLast(9))).messages.count == 20)
    }
}
