/// A data message of a FIT file.
package struct FITMessage: Sendable {
    /// Its number in the profile.
    package var number: UInt16 { definition.message }
    /// When it was written, in seconds since 1989-12-31, of its own or by its header; nil where it has no time.
    package let timestamp: UInt32?
    /// Where it begins, in bytes from the beginning of everything that was read.
    package let offset: Int

    private let definition: FITDefinition
    private let bytes: [UInt8]

    init(_ definition: FITDefinition, bytes: [UInt8], offset: Int, compressed: UInt32?) {
        (self.definition, self.bytes, self.offset) = (definition, bytes, offset)
        let own = Self.integer(FITField.timestamp, definition, bytes).flatMap(UInt32.init(exactly:))
        timestamp = compressed ?? own
    }

    /// The whole number in the field; nil where it is not there, invalid, a list or none.
    package func integer(_ field: UInt8) -> Int64? { Self.integer(field, definition, bytes) }

    /// The number in the field as its profile says, a whole one divided by `scale` and less `offset`; nil as for `integer`.
    package func number(_ field: UInt8, scale: Double = 1, offset: Double = 0) -> Double? {
        guard let place = definition.fields.first(where: { $0.number == field }), let type = place.type,
            let bits = Self.bits(of: place, definition, bytes)
        else { return nil }
        switch type {
        case .float32: return Self.finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case .float64: return Self.finite(Double(bitPattern: bits))
        default: return Self.integer(bits, type).map { Double($0) / scale - offset }
        }
    }

    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }

    private static func integer(_ field: UInt8, _ definition: FITDefinition, _ bytes: [UInt8]) -> Int64? {
        guard let place = definition.fields.first(where: { $0.number == field }), let type = place.type,
            let bits = bits(of: place, definition, bytes)
        else { return nil }
        return integer(bits, type)
    }

    /// The bits of a field with one element, in the machine's order.
    private static func bits(of field: FITDefinition.Field, _ definition: FITDefinition, _ bytes: [UInt8]) -> UInt64? {
        guard field.size > 0, field.size == field.type?.size else { return nil }
        let own = bytes[field.start..<field.start + field.size]
        return definition.isBigEndian
            ? own.reduce(0) { $0 << 8 | UInt64($1) } : own.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The whole number that the bits are; nil where they stand for no value.
    private static func integer(_ bits: UInt64, _ type: FITDefinition.BaseType) -> Int64? {
        let ones = UInt64.max >> (64 - 8 * UInt64(type.size))
        switch type {
        case .enumeration, .uint8, .uint16, .uint32, .byte, .uint64:
            return bits == ones ? nil : Int64(exactly: bits)
        case .uint8z, .uint16z, .uint32z, .uint64z:
            return bits == 0 ? nil : Int64(exactly: bits)
        case .sint8, .sint16, .sint32, .sint64:
            guard bits != ones >> 1 else { return nil }
            let unused = 64 - 8 * type.size
            return Int64(bitPattern: bits << UInt64(unused)) >> Int64(unused)
        case .string, .float32, .float64:
            return nil
        }
    }
}
