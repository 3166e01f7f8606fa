/// Columns, which go from the payload to their final form in one copy.
extension ProtobufParser {
    /// Appends the elements in `range` to the column of that name.
    mutating func readColumn(_ field: ProtobufField, _ range: Range<Int>, of object: Int) throws(Rejection) {
        let count = try elementCount(field, range)
        let place = document.member(field.key, of: object)
        let (found, isColumn) = place.map { length(of: document.entries[$0].value, field.kind) } ?? (0, true)
        guard isColumn else { return note(.duplicateKey, field.key, of: object, "the field is there in two forms") }
        guard count <= limits.maximumSamples - found else {
            return note(.columnLength, field.key, of: object, "more than \(limits.maximumSamples) values, so many are read")
        }
        guard count > 0 else { return }
        switch field.kind {
        case .numbers, .floats:
            let values =
                field.wireType == .fixed64
                ? fixed(in: range) { (bits: UInt64) in Double(bitPattern: bits) }
                : fixed(in: range) { (bits: UInt32) in Double(Float(bitPattern: bits)) }
            if let index = Self.firstNotFinite(values) {
                return note(
                    .notFinite, field.key, of: object, "value \(found + index) is \(values[index]), expected a finite number",
                    element: found + index)
            }
            add(values, field, place, to: object, as: ProtobufDocument.Value.numbers, \.numbers)
        case .sums:
            let last = place.flatMap { document.entries[$0].value.numbers?.last }
            let values = try sums(in: range, count: count, after: last ?? 0)
            add(values, field, place, to: object, as: ProtobufDocument.Value.numbers, \.numbers)
        case .integers:
            let values = try varints(in: range, count: count).map { Int(truncatingIfNeeded: $0) }
            add(values, field, place, to: object, as: ProtobufDocument.Value.integers, \.integers)
        default:
            let values = try varints(in: range, count: count)
            add(values, field, place, to: object, as: ProtobufDocument.Value.naturals, \.naturals)
        }
    }

    /// Adds a column to `object`, or appends to the one at `place`; `wrap` and `unwrap` convert between a column and its value.
    private func add<Element>(
        _ values: [Element], _ field: ProtobufField, _ place: Int?, to object: Int,
        as wrap: ([Element]) -> ProtobufDocument.Value, _ unwrap: (ProtobufDocument.Value) -> [Element]?
    ) {
        guard let place else {
            _ = document.add(wrap(values), field.key, to: object)
            return
        }
        document.update(place) { value in
            guard var column = unwrap(value) else { return }
            // The array has one owner again, so that it is not copied.
            value = .object
            column += values
            value = wrap(column)
        }
    }

    /// The length of a column that is there, and whether it is one of that kind.
    private func length(of value: ProtobufDocument.Value, _ kind: ProtobufField.Kind) -> (count: Int, isColumn: Bool) {
        let count =
            switch kind {
            case .numbers, .floats, .sums: value.numbers?.count
            case .integers: value.integers?.count
            default: value.naturals?.count
            }
        return (count ?? 0, count != nil)
    }

    private func note(
        _ reason: RejectionReason, _ key: String, of object: Int, _ detail: @autoclosure () -> String, element: Int
    ) {
        document.note(Rejection(reason, at: document.pointer(of: object) + "/\(key)/\(element)", detail()))
    }

    // MARK: Elements

    private func elementCount(_ field: ProtobufField, _ range: Range<Int>) throws(Rejection) -> Int {
        let size = field.wireType == .fixed64 ? 8 : 4
        guard field.wireType != .varint else {
            guard range.isEmpty || wire.bytes[range.upperBound - 1] < 0x80 else {
                throw WireReader.malformed("a packed column does not end with a value", at: range.lowerBound)
            }
            return unsafe wire.bytes.withUnsafeBytes { bytes in unsafe bytes[range].reduce(0) { $0 + ($1 < 0x80 ? 1 : 0) } }
        }
        guard range.count.isMultiple(of: size) else {
            throw WireReader.malformed("a packed column does not end with a value", at: range.lowerBound)
        }
        return range.count / size
    }

    /// Values of a fixed width, the lowest byte first.
    private func fixed<Bits: FixedWidthInteger>(in range: Range<Int>, _ number: (Bits) -> Double) -> [Double] {
        let size = MemoryLayout<Bits>.size
        let count = range.count / size
        return unsafe wire.bytes.withUnsafeBytes { bytes in
            let column = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            return unsafe [Double](unsafeUninitializedCapacity: count) { buffer, initialized in
                for index in 0..<count {
                    let bits = unsafe Bits(littleEndian: column.loadUnaligned(fromByteOffset: index * size, as: Bits.self))
                    unsafe buffer.initializeElement(at: index, to: number(bits))
                }
                initialized = count
            }
        }
    }

    private func sums(in range: Range<Int>, count: Int, after last: Double) throws(Rejection) -> [Double] {
        var isTooLong = false
        let values = unsafe wire.bytes.withUnsafeBytes { bytes in
            let column = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            return unsafe [Double](unsafeUninitializedCapacity: count) { buffer, initialized in
                // Whole numbers of at most 32 bits, as many as a payload holds: the sum is exact.
                var sum = Int(last)
                var place = 0
                // Each integer ends with a byte less than 0x80, of which there are `count`, the last at the end.
                for index in 0..<count {
                    var byte = unsafe column[place]
                    place += 1
                    var bits = UInt64(byte & 0x7F)
                    var shift: UInt64 = 7
                    while byte >= 0x80 {
                        byte = unsafe column[place]
                        place += 1
                        isTooLong = isTooLong || shift > 63 || (shift == 63 && byte > 1)
                        bits |= UInt64(byte & 0x7F) << shift
                        shift += 7
                    }
                    let zigZag = UInt32(truncatingIfNeeded: bits)
                    sum &+= Int(Int32(bitPattern: zigZag >> 1) ^ -Int32(bitPattern: zigZag & 1))
                    unsafe buffer.initializeElement(at: index, to: Double(sum))
                }
                initialized = count
            }
        }
        guard !isTooLong else { throw WireReader.malformed("an integer has more than 64 bits", at: range.lowerBound) }
        return values
    }

    private mutating func varints(in range: Range<Int>, count: Int) throws(Rejection) -> [UInt64] {
        var values: [UInt64] = []
        values.reserveCapacity(count)
        wire.move(to: range.lowerBound)
        while wire.position < range.upperBound { values.append(try wire.varint(before: range.upperBound)) }
        return values
    }

    private static let exponentBits: UInt64 = 0x7FF0_0000_0000_0000
    private static let lowestExponentBit: UInt64 = 0x0010_0000_0000_0000

    private static func firstNotFinite(_ values: [Double]) -> Int? {
        // The exponent of such a number is all ones, so that adding one to it reaches the sign. Vector instructions do that.
        let carried = values.reduce(into: UInt64(0)) { carried, value in
            carried |= (value.bitPattern & Self.exponentBits) &+ Self.lowestExponentBit
        }
        return carried >> 63 == 0 ? nil : values.firstIndex { !$0.isFinite }
    }

    // MARK: Forms of columns

    /// Brings a message to the form that JSON has.
    func complete(_ completion: ProtobufMessage.Completion, _ object: Int) {
        switch completion {
        case .none: return
        case .timestamps: completeTimestamps(object)
        case .vectors: completeVectors(object)
        }
    }

    /// Every time, else differences, else what is even.
    private func completeTimestamps(_ object: Int) {
        if let values = document.column("value", of: object) {
            document.replace(object, by: .numbers(values))
        } else if let deltas = document.column("deltaMicroseconds", of: object), let start = document.number("start", of: object)
        {
            document.replace(object, by: .numbers(deltas.map { start + $0 / 1e6 }))
        }
    }

    private func completeVectors(_ object: Int) {
        guard let packed = document.member("packed", of: object) else { return }
        guard let scale = document.number("scale", of: packed) else {
            return note(.missingField, "scale", of: packed, "the field is missing")
        }
        guard scale > 0 else { return note(.invalidValue, "scale", of: packed, "the scale is \(scale), expected more than 0") }
        for key in ["x", "y", "z"] {
            guard let column = document.column(key, of: packed) else { continue }
            guard document.member(key, of: object) == nil else {
                note(.duplicateKey, key, of: object, "the field is there in two forms")
                continue
            }
            let values = column.map { $0 * scale }
            if let index = Self.firstNotFinite(values) {
                note(.notFinite, key, of: object, "value \(index) is \(values[index]), expected a finite number", element: index)
                continue
            }
            _ = document.add(.numbers(values), key, to: object)
        }
        document.note(scale: scale, of: document.entries[object].key)
        document.replace(packed, by: .object)
        _ = document.add(.number(scale), "scale", to: packed)
    }
}
