/// Decodes FIT files, one or several behind each other, from bytes that come a piece at a time.
///
/// Whatever the bytes are, it ends, and keeps no more than a message and the last piece.
package struct FITDecoder: Sendable {
    /// What was decoded.
    package enum Item: Sendable {
        /// A FIT file begins.
        case file
        /// A data message of the file that began last.
        case message(FITMessage)
        /// What is wrong.
        case problem(FITProblem)
    }

    private enum Phase { case header, records, rest, checksum, ended }

    /// The bytes of the longest header that says something.
    private static let headerSize = 14
    /// Lengths that stand for none.
    private static let noLengths: Set<UInt32> = [0, .max]

    private var phase = Phase.header
    private var buffer: [UInt8] = []
    private var position = 0
    private var isComplete = false
    private var offset = 0
    private var checksum = FITChecksum()
    /// Bytes of messages that follow by the header; nil where it names no length.
    private var left: Int?
    /// Whether the rest of the file is passed over, and its checksum with it.
    private var isGivenUp = false
    /// What comes before the next message.
    private var pending: Item?
    private var definitions: [FITDefinition?] = Array(repeating: nil, count: 16)
    private var timestamp: UInt32?

    /// A decoder that has seen nothing.
    package init() {}

    /// Takes the next piece; an empty one says that none follows.
    package mutating func feed(_ bytes: [UInt8]) {
        if bytes.isEmpty { return isComplete = true }
        buffer.removeFirst(position)
        position = 0
        buffer += bytes
    }

    /// What comes next; nil where another piece is needed, or after the last one at the end.
    package mutating func next() -> Item? {
        while true {
            let step: Step =
                switch phase {
                case .header: header()
                case .records: record()
                case .rest: skipRest()
                case .checksum: compareChecksum()
                case .ended: .wait
                }
            switch step {
            case .wait: return nil
            case .goOn: continue
            case .item(let item): return item
            }
        }
    }

    private enum Step { case wait, goOn, item(Item) }

    private var available: ArraySlice<UInt8> { buffer[position...] }

    private mutating func consume(_ count: Int) {
        checksum.add(buffer[position..<position + count])
        position += count
        offset += count
        left = left.map { $0 - count }
    }

    private mutating func end(_ problem: FITProblem? = nil) -> Step {
        phase = .ended
        return problem.map { .item(.problem($0)) } ?? .wait
    }

    private mutating func header() -> Step {
        let bytes = available
        guard bytes.count >= Self.headerSize || isComplete else { return .wait }
        if bytes.isEmpty, offset > 0 { return end() }
        guard bytes.count >= 12, Self.isHeader(bytes) else { return end(.noHeader(offset: offset)) }
        let size = Int(bytes[position])
        guard bytes.count >= size else {
            return isComplete ? end(.truncated(offset: offset + bytes.count, missing: size - bytes.count)) : .wait
        }
        checksum = FITChecksum()
        let length = Self.uint32(bytes.dropFirst(4))
        let stated = size >= Self.headerSize ? UInt16(bytes[position + 12]) | UInt16(bytes[position + 13]) << 8 : 0
        var own = FITChecksum()
        own.add(bytes.prefix(12))
        let start = offset
        left = nil
        consume(size)
        left = Self.noLengths.contains(length) ? nil : Int(length)
        definitions = Array(repeating: nil, count: 16)
        timestamp = nil
        isGivenUp = false
        pending = .file
        phase = .records
        if stated != 0, stated != own.value { return .item(.problem(.headerChecksum(offset: start))) }
        return .goOn
    }

    /// Whether `bytes` begin as a FIT file does.
    package static func isHeader(_ bytes: some Collection<UInt8>) -> Bool {
        guard let size = bytes.first, size == 12 || size >= headerSize else { return false }
        return bytes.dropFirst(8).prefix(4).elementsEqual(".FIT".utf8)
    }

    private static func uint32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func record() -> Step {
        if let item = pending {
            pending = nil
            return .item(item)
        }
        if left == 0 {
            phase = .checksum
            return .goOn
        }
        // Of a recording that was not closed the last two bytes may be a checksum.
        if left == nil, isComplete, available.count <= 2 { return end(.unfinished(offset: offset)) }
        guard let header = available.first else { return isComplete ? truncated() : .wait }
        if header & 0x80 != 0 {
            return data(type: Int(header >> 5 & 3), time: UInt32(header & 0x1F))
        }
        return header & 0x40 != 0 ? definition(header) : data(type: Int(header & 0x0F), time: nil)
    }

    private mutating func truncated() -> Step {
        guard let left else { return end(.unfinished(offset: offset)) }
        let end = offset + available.count
        // The two bytes are the checksum's.
        return self.end(.truncated(offset: end, missing: max(0, left + 2 - available.count)))
    }

    /// Whether `count` bytes of a message are there; otherwise what is to be done.
    private mutating func lacks(_ count: Int) -> Step? {
        if let left, count > left {
            phase = .rest
            return .item(.problem(.overrun(offset: offset)))
        }
        guard available.count < count else { return nil }
        return isComplete ? truncated() : .wait
    }

    private mutating func definition(_ header: UInt8) -> Step {
        let hasDeveloperFields = header & 0x20 != 0
        guard let length = FITDefinition.length(available.dropFirst(), hasDeveloperFields: hasDeveloperFields) else {
            return lacks(available.count + 1) ?? .wait
        }
        if let step = lacks(1 + length) { return step }
        let bytes = available.dropFirst().prefix(length)
        guard let definition = FITDefinition(bytes, hasDeveloperFields: hasDeveloperFields) else {
            phase = .rest
            return .item(.problem(.byteOrder(offset: offset)))
        }
        definitions[Int(header & 0x0F)] = definition
        consume(1 + length)
        return .goOn
    }

    private mutating func data(type: Int, time: UInt32?) -> Step {
        guard let definition = definitions[type] else {
            phase = .rest
            return .item(.problem(.undefined(offset: offset, type: type)))
        }
        if let step = lacks(1 + definition.size) { return step }
        var compressed: UInt32?
        if let time, let last = timestamp {
            // The five low bits of the time: fewer than those of the last one are of the next 32 s.
            compressed = (last & ~0x1F | time) &+ (time < last & 0x1F ? 0x20 : 0)
        }
        let message = FITMessage(
            definition, bytes: Array(available.dropFirst().prefix(definition.size)), offset: offset, compressed: compressed)
        timestamp = message.timestamp ?? timestamp
        consume(1 + definition.size)
        return .item(.message(message))
    }

    private mutating func skipRest() -> Step {
        isGivenUp = true
        consume(min(left ?? .max, available.count))
        if left == 0 {
            phase = .checksum
            return .goOn
        }
        return isComplete ? end() : .wait
    }

    private mutating func compareChecksum() -> Step {
        guard available.count >= 2 else { return isComplete ? truncated() : .wait }
        let stated = UInt16(available[position]) | UInt16(available[position + 1]) << 8
        let isRight = isGivenUp || stated == checksum.value
        let place = offset
        left = nil
        consume(2)
        phase = .header
        return isRight ? .goOn : .item(.problem(.checksum(offset: place)))
    }
}
