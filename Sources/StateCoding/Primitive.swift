/// A value that has a tag of its own. The generic methods over these are what the containers' methods for each type ask for.
protocol Primitive: Codable {
    func write(to core: EncoderCore)
    static func read(at spot: DecoderCore.Spot, in core: DecoderCore) throws -> Self
}

extension Bool: Primitive {
    func write(to core: EncoderCore) { core.write(self) }
    static func read(at spot: DecoderCore.Spot, in core: DecoderCore) throws -> Bool { try core.boolean(at: spot) }
}

extension String: Primitive {
    func write(to core: EncoderCore) { core.write(self) }
    static func read(at spot: DecoderCore.Spot, in core: DecoderCore) throws -> String { try core.string(at: spot) }
}

extension Double: Primitive {
    func write(to core: EncoderCore) { core.write(self) }
    static func read(at spot: DecoderCore.Spot, in core: DecoderCore) throws -> Double { try core.double(at: spot) }
}

extension Float: Primitive {
    func write(to core: EncoderCore) { core.write(self) }
    static func read(at spot: DecoderCore.Spot, in core: DecoderCore) throws -> Float { try core.float(at: spot) }
}

extension Primitive where Self: FixedWidthInteger & SignedInteger {
    func write(to core: EncoderCore) { core.write(signed: Int64(self)) }
}

extension Primitive where Self: FixedWidthInteger & UnsignedInteger {
    func write(to core: EncoderCore) { core.write(unsigned: UInt64(self)) }
}

extension Primitive where Self: FixedWidthInteger {
    static func read(at spot: DecoderCore.Spot, in core: DecoderCore) throws -> Self { try core.integer(at: spot) }
}

extension Int: Primitive {}
extension Int8: Primitive {}
extension Int16: Primitive {}
extension Int32: Primitive {}
extension Int64: Primitive {}
extension UInt: Primitive {}
extension UInt8: Primitive {}
extension UInt16: Primitive {}
extension UInt32: Primitive {}
extension UInt64: Primitive {}
