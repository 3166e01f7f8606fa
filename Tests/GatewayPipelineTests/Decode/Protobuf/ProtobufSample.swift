import TelemetryModel

@testable import GatewayPipeline

/// Writes a frame that a test has in JSON, valid or not, in Protocol Buffers, by the tables of the reader.
///
/// A value of another type is written with another wire type, and a text such as "NaN" where a number belongs as that number.
struct ProtobufSample {
    /// What the JSON says cannot be said in Protocol Buffers: null, an element of another type, or a name that is no case.
    struct NotExpressible: Error {}

    /// The bytes of the frame.
    private(set) var payload: [UInt8] = []

    /// The frame of a JSON text on `stream`, nil for the header alone, columns as differences where `isPacked`; throws `NotExpressible`.
    init(_ json: [UInt8], stream: StreamName?, isPacked: Bool = false) throws {
        let parser = JSONParser()
        guard let frame = try? parser.parse(json, maximumNesting: 16), frame.kind == .object else { throw NotExpressible() }
        var writer = Writer(isPacked: isPacked)
        for (number, field) in ProtobufMessage.frame.knownFields {
            if case .body(let message, let streams) = field.kind {
                guard let stream, streams.contains(stream) else { continue }
                guard !field.key.isEmpty else {
                    // Lists that are not there are empty ones.
                    let isThere = message.knownFields.contains { frame.uncheckedMember($0.field.key) != nil }
                    guard isThere else { throw NotExpressible() }
                    try writer.message(number, message, frame)
                    continue
                }
                guard let body = frame.uncheckedMember(field.key) else { continue }
                body.kind == .object ? try writer.message(number, message, body) : writer.other(number)
            } else if let value = frame.uncheckedMember(field.key) {
                if field.key == "schema", value.kind != .string { throw NotExpressible() }
                try writer.field(number, field, value)
            }
        }
        payload = writer.bytes
    }
}

extension ProtobufSample {
    /// The frame, which is known to be expressible.
    static func payload(_ text: JSONText, stream: StreamName?) -> [UInt8] {
        guard let sample = try? ProtobufSample(text.payload, stream: stream) else { preconditionFailure(text.text) }
        return sample.payload
    }
}

/// Appends fields in the wire format.
struct Writer {
    var bytes: [UInt8] = []
    var isPacked = false

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func tag(_ number: Int, _ type: WireReader.WireType) { varint(UInt64(number) << 3 | type.rawValue) }

    mutating func double(_ value: Double) {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
    }

    mutating func float(_ value: Float) {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
    }

    mutating func delimited(_ number: Int, _ content: [UInt8]) {
        tag(number, .bytes)
        varint(UInt64(content.count))
        bytes += content
    }

    /// A value of a type that the field has not: neither numbers nor texts are written so.
    mutating func other(_ number: Int) {
        tag(number, .fixed32)
        float(0)
    }

    mutating func message(_ number: Int, _ message: ProtobufMessage, _ object: JSONNode) throws {
        var inner = Writer(isPacked: isPacked)
        let canPack = isPacked && message.knownFields.contains { $0.field.key == "packed" }
        var packed = Writer()
        for (number, field) in message.knownFields {
            guard let value = object.uncheckedMember(field.key) else { continue }
            if canPack, case .floats = field.kind, value.kind == .array {
                packed.differences(try numbers(value).map { $0 * 4096 }, at: ["x": 1, "y": 2, "z": 3][field.key] ?? 0)
            } else {
                try inner.field(number, field, value)
            }
        }
        if canPack, let number = message.knownFields.first(where: { $0.field.key == "packed" })?.number {
            packed.tag(4, .fixed64)
            packed.double(1 / 4096)
            inner.delimited(number, packed.bytes)
        }
        delimited(number, inner.bytes)
    }

    mutating func differences(_ numbers: [Double], at number: Int) {
        var column = Writer()
        var last = 0
        for value in numbers {
            let rounded = Int(value.rounded())
            let difference = Int32(rounded - last)
            column.varint(UInt64(UInt32(bitPattern: difference << 1 ^ difference >> 31)))
            last = rounded
        }
        delimited(number, column.bytes)
    }

    mutating func field(_ number: Int, _ field: ProtobufField, _ value: JSONNode) throws {
        guard value.kind != .null else { throw ProtobufSample.NotExpressible() }
        switch field.kind {
        case .number:
            guard let value = Self.double(value) else { return other(number) }
            tag(number, .fixed64)
            double(value)
        case .numbers, .floats: try column(number, field, value)
        case .integer, .natural:
            // An activity is a text or a number, each with a field of its own.
            if field.key == "activity", value.kind == .string || value.kind == .fraction { return }
            guard let value = try Self.integer(value) else { return other(number) }
            tag(number, .varint)
            varint(value)
        case .integers, .naturals:
            var column = Writer()
            for value in value.kind == .array ? try value.map({ $0 }) : [value] {
                guard let integer = try Self.integer(value) else {
                    if case .naturals = field.kind { throw ProtobufSample.NotExpressible() }
                    return other(number)
                }
                column.varint(integer)
            }
            delimited(number, column.bytes)
        case .text:
            if field.key == "activity", value.kind == .integer { return }
            value.kind == .string ? delimited(number, Array(value.uncheckedString.utf8)) : other(number)
        case .texts:
            guard value.kind == .array else { return other(number) }
            var list = Writer()
            for element in try value.map({ $0 }) {
                guard element.kind == .string else { throw ProtobufSample.NotExpressible() }
                list.delimited(1, Array(element.uncheckedString.utf8))
            }
            delimited(number, list.bytes)
        case .flags: try flags(number, value)
        case .message(let message):
            if message === ProtobufMessage.timestamps, value.kind == .array {
                var times = Writer()
                try times.column(1, ProtobufField("value", .numbers), value)
                delimited(number, times.bytes)
            } else {
                value.kind == .object ? try self.message(number, message, value) : other(number)
            }
        case .entries(let message):
            guard value.kind == .array else { return other(number) }
            for element in try value.map({ $0 }) {
                guard element.kind == .object else { throw ProtobufSample.NotExpressible() }
                try self.message(number, message, element)
            }
        case .sums, .body: throw ProtobufSample.NotExpressible()
        }
    }

    private mutating func column(_ number: Int, _ field: ProtobufField, _ value: JSONNode) throws {
        guard value.kind == .array else {
            tag(number, .varint)
            return varint(1)
        }
        guard value.uncheckedCount > 0 else { throw ProtobufSample.NotExpressible() }
        var column = Writer()
        for value in try numbers(value) { field.wireType == .fixed64 ? column.double(value) : column.float(Float(value)) }
        delimited(number, column.bytes)
    }

    private mutating func flags(_ number: Int, _ value: JSONNode) throws {
        guard value.kind == .object else { return other(number) }
        for key in value.uncheckedKeys(maximum: 64) {
            guard let flag = value.uncheckedMember(key), flag.kind == .boolean else {
                guard Capability(rawValue: key) == nil else { throw ProtobufSample.NotExpressible() }
                continue
            }
            var entry = Writer()
            entry.delimited(1, Array(key.utf8))
            entry.tag(2, .varint)
            entry.varint(flag.uncheckedBoolean ? 1 : 0)
            delimited(number, entry.bytes)
        }
    }

    // MARK: Values

    private func numbers(_ value: JSONNode) throws -> [Double] {
        try value.map { $0 }.map { element in
            guard let number = Self.double(element) else { throw ProtobufSample.NotExpressible() }
            return number
        }
    }

    private static func double(_ value: JSONNode) -> Double? {
        if value.kind == .string, NonFiniteNumber.isNamed(value.uncheckedString) { return .nan }
        return value.kind.isNumber ? value.uncheckedNumber : nil
    }

    private static func integer(_ value: JSONNode) throws -> UInt64? {
        switch value.kind {
        case .integer: UInt64(bitPattern: Int64(value.uncheckedInteger))
        case .hugeInteger: UInt64(exactly: value.uncheckedNumber)
        case .string:
            if let raw = rawValues[value.uncheckedString] {
                UInt64(raw)
            } else if value.uncheckedString.allSatisfy(\.isLetter) {
                throw ProtobufSample.NotExpressible()
            } else {
                nil
            }
        default: nil
        }
    }

    /// Raw values of the names that tests use.
    private static let rawValues: [String: Int] = [
        "submerged": 2, "submergedDeep": 300, "headphoneLeft": 1, "headphoneRight": 2, "authorized": 3, "left": 0, "resume": 1,
        "running": 2, "high": 2,
    ]
}
