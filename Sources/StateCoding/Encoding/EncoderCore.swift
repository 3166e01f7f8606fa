/// What all encoders and containers of one document write to; the next document reuses its memory.
///
/// Values nest as levels. A level closes when one around it goes on, so a nested container must be filled before the container
/// it came from is used again.
final class EncoderCore {
    /// Identifies a level; a closed level is distinct from a later one of the same depth.
    struct LevelID: BitwiseCopyable {
        fileprivate(set) var depth: UInt32
        fileprivate(set) var serial: UInt32
    }

    /// What a level has become.
    enum Form: BitwiseCopyable {
        case pending, single, keyed, unkeyed
    }

    private struct Level: BitwiseCopyable {
        var serial: UInt32
        var form = Form.pending
        var step: PathStep
        /// Where the contents of a container start.
        var start = 0
        /// The elements of an unkeyed container so far.
        var count = 0
    }

    // Each access ends within one method of this module, so that none overlap: the check would take half of all time.
    /// The bytes so far.
    @exclusivity(unchecked) var output = ByteBuffer(capacity: 4096)
    @exclusivity(unchecked) private var levels: [Level] = []
    @exclusivity(unchecked) private var keys = KeyTable()
    @exclusivity(unchecked) private var serials: UInt32 = 0
    @exclusivity(unchecked) private var failure: (any Error)?

    /// Types that are written as the double that they are.
    let doubles: [ObjectIdentifier]

    /// No document yet.
    init(doubles: [ObjectIdentifier]) {
        self.doubles = doubles
        levels.reserveCapacity(Layout.depth + 1)
    }

    /// The document of `value`.
    func document(of value: some Encodable) throws -> [UInt8] {
        output.removeAll()
        output.append(Layout.magic)
        output.append(UInt32(0))
        levels.removeAll(keepingCapacity: true)
        keys.reset()
        failure = nil
        try encode(value, step: .wrapped)
        return try finish()
    }

    /// Writes `value`, whose key is written already; an error ends the document even when the caller catches it.
    func encode<T: Encodable>(_ value: T, step: PathStep) throws {
        if writeDouble(value) || writeBlob(value) { return }
        try fill(step) { try value.encode(to: ValueEncoder(core: self, level: $0)) }
    }

    /// Closes everything inside `level`; throws when it has closed itself, or something failed before.
    func resume(_ level: LevelID) throws {
        if let failure { throw failure }
        let depth = Int(level.depth)
        guard depth < levels.count, levels[depth].serial == level.serial else {
            throw fail("a container was written to after the one around it went on", depth: levels.count)
        }
        while levels.count > depth + 1 { close() }
    }

    /// Makes ready for one value under `name` in the keyed container `level`.
    func writeKey(_ name: String, in level: LevelID) throws -> PathStep {
        try resume(level)
        let index = keys.number(of: name)
        output.append(varint: UInt64(index))
        return .key(index)
    }

    /// Makes ready for one more value in the unkeyed container `level`.
    func addElement(in level: LevelID) throws -> PathStep {
        try resume(level)
        let depth = Int(level.depth)
        defer { levels[depth].count += 1 }
        return .element(levels[depth].count)
    }

    /// Makes ready for the only value of `level`.
    func beginSingle(in level: LevelID) throws {
        try resume(level)
        let depth = Int(level.depth)
        guard levels[depth].form == .pending else { throw fail("more than one value where one belongs", depth: depth) }
        levels[depth].form = .single
    }

    /// Makes `level` a container; its second time goes on with the first.
    func open(_ form: Form, in level: LevelID) {
        guard (try? resume(level)) != nil else { return }
        let depth = Int(level.depth)
        guard levels[depth].form != form else { return }
        guard levels[depth].form == .pending else {
            _ = fail("more than one value where one belongs", depth: depth)
            return
        }
        levels[depth].form = form
        output.append(form == .keyed ? Tag.keyed : Tag.unkeyed)
        output.append(UInt32(0))
        levels[depth].start = output.count
    }

    /// A level for a value that is written through another encoder or container; when it fails, so does every later write.
    func nest(_ step: () throws -> PathStep) -> LevelID {
        guard let level = try? push(step()) else { return LevelID(depth: .max, serial: .max) }
        return level
    }

    /// The number of elements of the unkeyed container `level`.
    func count(of level: LevelID) -> Int { level.depth < levels.count ? levels[Int(level.depth)].count : 0 }

    /// The keys to `level`.
    func codingPath(to level: LevelID) -> [any CodingKey] { codingPath(depth: Int(level.depth)) }

    private func finish() throws -> [UInt8] {
        if let failure { throw failure }
        let table = output.count
        output.append(varint: UInt64(keys.count))
        keys.forEachName { output.append(counted: $0) }
        guard output.count <= Int(UInt32.max) else { throw fail("the document takes more than 4 GiB", depth: 0) }
        output.replace(at: Layout.tableOffset, with: UInt32(table))
        output.append(output.withBytes(Checksum.of))
        return output.withBytes { Array($0) }
    }

    /// Makes a level that lasts as long as `body`.
    @inline(__always)
    private func fill(_ step: PathStep, _ body: (LevelID) throws -> Void) throws {
        let level = try push(step)
        do {
            try body(level)
            try resume(level)
        } catch {
            failure = failure ?? error
            throw error
        }
        close()
    }

    private func push(_ step: PathStep) throws -> LevelID {
        guard levels.count <= Layout.depth else { throw fail("nested deeper than \(Layout.depth)", depth: levels.count) }
        serials &+= 1
        levels.append(Level(serial: serials, step: step))
        return LevelID(depth: UInt32(levels.count - 1), serial: serials)
    }

    private func close() {
        guard let level = levels.popLast() else { return }
        switch level.form {
        case .pending:
            output.append(Tag.keyed)
            output.append(UInt32(0))
        case .single: break
        case .keyed, .unkeyed:
            output.replace(at: level.start - 4, with: UInt32(truncatingIfNeeded: output.count - level.start))
        }
    }

    private func fail(_ text: String, depth: Int) -> any Error {
        let context = EncodingError.Context(codingPath: codingPath(depth: depth), debugDescription: text)
        let error = failure ?? EncodingError.invalidValue(text, context)
        failure = error
        return error
    }

    private func codingPath(depth: Int) -> [any CodingKey] {
        levels.prefix(depth + 1).compactMap { $0.step.codingKey(names: keys.names) }
    }
}
