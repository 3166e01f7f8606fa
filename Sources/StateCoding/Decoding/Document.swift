/// A document whose frame has been checked: the root value lies inside the document.
struct Document {
    /// All bytes of the document.
    let source: ByteSource
    /// The keys of the containers by number.
    let names: [String]

    /// The place of the root value.
    var root: DecoderCore.Spot { DecoderCore.Spot(offset: Layout.root, depth: 0) }

    /// Checks the checksum, then the frame; throws `.damaged`, `.unknownFormat`, or `.invalid` for what no encoder writes.
    init(_ bytes: [UInt8]) throws(StateCodingError) {
        source = ByteSource(bytes: bytes)
        let end = bytes.count - Layout.checksum
        guard end > Layout.root, bytes.count <= Int(UInt32.max) + Layout.checksum else { throw StateCodingError(.damaged) }
        let sum = bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
        guard source.load(UInt64.self, at: end) == sum else { throw StateCodingError(.damaged) }
        guard source.load(UInt32.self, at: 0) == Layout.magic else { throw StateCodingError(.unknownFormat) }
        let table = Int(source.load(UInt32.self, at: Layout.tableOffset))
        guard table < end, source.end(ofValueAt: Layout.root, limit: table) == table,
            let names = Self.names(in: source, at: table, end: end)
        else { throw StateCodingError(.invalid("malformed document")) }
        self.names = names
    }

    private static func names(in source: ByteSource, at offset: Int, end: Int) -> [String]? {
        guard let count = source.varint(at: offset, limit: end), count.value <= UInt64(end - count.end) else { return nil }
        var offset = count.end
        var names: [String] = []
        names.reserveCapacity(Int(count.value))
        for _ in 0..<count.value {
            guard let range = source.counted(at: offset, limit: end), let name = source.text(in: range) else { return nil }
            names.append(name)
            offset = range.upperBound
        }
        return offset == end ? names : nil
    }
}
