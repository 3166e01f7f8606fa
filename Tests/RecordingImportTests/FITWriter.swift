/// Writes FIT files.
struct FITWriter {
    /// A field of a definition: its number, its size and its base type.
    typealias Field = (number: UInt8, size: UInt8, type: UInt8)

    var isBigEndian = false
    /// The messages so far.
    private(set) var data: [UInt8] = []

    /// A number in the byte order of the file.
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: isBigEndian ? value.bigEndian : value.littleEndian) { Array($0) }
    }

    mutating func define(_ local: UInt8, _ message: UInt16, _ fields: [Field], developer: [Field] = []) {
        data += [0x40 | (developer.isEmpty ? 0 : 0x20) | local, 0, isBigEndian ? 1 : 0] + bytes(message) + [UInt8(fields.count)]
        for field in fields { data += [field.number, field.size, field.type] }
        guard !developer.isEmpty else { return }
        data.append(UInt8(developer.count))
        for field in developer { data += [field.number, field.size, field.type] }
    }

    mutating func message(_ local: UInt8, _ content: [UInt8]) { data += [local] + content }

    /// A message whose time is the five low bits in its header.
    mutating func compressed(_ local: UInt8, time: UInt32, _ content: [UInt8]) {
        data += [0x80 | local << 5 | UInt8(time & 0x1F)] + content
    }

    mutating func append(raw bytes: [UInt8]) { data += bytes }

    /// The file, with a header that names `length` bytes of data instead of as many as there are.
    func file(length: UInt32? = nil, headerSize: UInt8 = 14) -> [UInt8] {
        let little = { (value: UInt32, count: Int) in (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var header: [UInt8] = [headerSize, 0x20, 0x54, 0x08] + little(length ?? UInt32(data.count), 4) + Array(".FIT".utf8)
        if headerSize >= 14 { header += little(UInt32(Self.checksum(header)), 2) }
        let content = header + data
        return content + little(UInt32(Self.checksum(content)), 2)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var checksum: UInt16 = 0
        for byte in bytes {
            checksum ^= UInt16(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? (checksum >> 1) ^ 0xA001 : checksum >> 1 }
        }
        return checksum
    }
}

extension FITWriter {
    /// FIT's second 0, unix seconds.
    static let zero = 631_065_600

    /// Unix seconds, m, degrees Celsius, Pa.
    typealias DiveSample = (time: Int, depth: Double?, temperature: Int8?, pressure: UInt32?)

    static func dive(_ samples: [DiveSample], isBigEndian: Bool = false) -> FITWriter {
        var writer = FITWriter(isBigEndian: isBigEndian)
        writer.define(0, 0, [(0, 1, 0), (4, 4, 0x86)])
        writer.message(0, [4] + writer.bytes(UInt32((samples.first?.time ?? zero) - zero)))
        writer.define(1, 20, [(253, 4, 0x86), (92, 4, 0x86), (13, 1, 1), (91, 4, 0x86)], developer: [(0, 3, 0)])
        for sample in samples {
            writer.message(
                1,
                writer.bytes(UInt32(sample.time - zero))
                    + writer.bytes(sample.depth.map { UInt32(($0 * 1000).rounded()) } ?? .max)
                    + writer.bytes(sample.temperature ?? .max) + writer.bytes(sample.pressure ?? .max) + [1, 2, 3])
        }
        return writer
    }

    /// What a record of an activity holds, in the units of FIT.
    struct Activity {
        var time: UInt32
        var centimeters: UInt32 = 0
        var millimetersASecond: UInt16 = .max
        var cadence: UInt8 = .max
        /// 128ths.
        var fraction: UInt8 = .max
        var altitude: UInt16 = .max
    }

    mutating func defineActivity() {
        define(2, 20, [(253, 4, 0x86), (5, 4, 0x86), (6, 2, 0x84), (4, 1, 2), (53, 1, 2), (2, 2, 0x84)])
        define(3, 21, [(253, 4, 0x86), (0, 1, 0), (1, 1, 0)])
        define(4, 18, [(253, 4, 0x86), (2, 4, 0x86), (7, 4, 0x86), (5, 1, 0)])
    }

    mutating func record(_ record: Activity) {
        message(
            2,
            bytes(record.time) + bytes(record.centimeters) + bytes(record.millimetersASecond)
                + [record.cadence, record.fraction] + bytes(record.altitude))
    }

    mutating func timer(_ type: UInt8, at time: UInt32) { message(3, bytes(time) + [0, type]) }

    mutating func session(_ start: UInt32, seconds: UInt32, sport: UInt8) {
        message(4, bytes(start + seconds) + bytes(start) + bytes(seconds * 1000) + [sport])
    }
}
