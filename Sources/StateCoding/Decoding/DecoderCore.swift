/// What all decoders and containers of one document read from.
final class DecoderCore {
    /// A value that is known to lie inside the document, and the number of steps to it.
    struct Spot: BitwiseCopyable {
        let offset: Int
        let depth: Int
    }

    /// A keyed container that was scanned: its place in `entries`, and the number of steps to it.
    struct Fields: BitwiseCopyable {
        fileprivate let header: Int
        let depth: Int
    }

    /// A key and where its value is; before those of a container, the position found last and their number.
    private struct Entry: BitwiseCopyable {
        var key: UInt32
        var offset: UInt32
    }

    /// The bytes of the document.
    let bytes: ByteSource
    private let names: [String]
    private lazy var indices = Dictionary(names.indices.map { (names[$0], UInt32($0)) }) { first, _ in first }
    // Each access ends within one method of this module, so that none overlap: the check would take a third of all time.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// The scan in which each key was last found, to detect duplicate keys.
    @exclusivity(unchecked) private var scans: [UInt32]
    @exclusivity(unchecked) private var scan: UInt32 = 0
    /// The steps to the value that is read.
    @exclusivity(unchecked) private var path = [PathStep](repeating: .wrapped, count: Layout.depth + 3)

    /// Reads `document`.
    init(_ document: Document) {
        bytes = document.source
        names = document.names
        scans = [UInt32](repeating: 0, count: names.count)
    }

    /// The value at `spot` as `type`.
    func decode<T: Decodable>(_ type: T.Type, at spot: Spot) throws -> T {
        if let blob = try blob(type, at: spot) { return blob }
        return try T(from: decoder(at: spot))
    }

    /// The decoder of the value at `spot`; throws when it is nested too deep.
    func decoder(at spot: Spot) throws -> ValueDecoder {
        guard spot.depth <= Layout.depth else { throw corrupted("nested deeper than \(Layout.depth)", depth: spot.depth) }
        return ValueDecoder(core: self, spot: spot)
    }

    /// The value at `spot` as what a single-value container there holds.
    func wrapped(in spot: Spot) -> Spot {
        path[spot.depth] = .wrapped
        return Spot(offset: spot.offset, depth: spot.depth + 1)
    }

    /// The value at `offset`, element `index` of the container at `depth`, and where it ends.
    func element(_ index: Int, at offset: Int, limit: Int, depth: Int) throws -> (spot: Spot, end: Int) {
        path[depth] = .element(index)
        guard let end = bytes.end(ofValueAt: offset, limit: limit) else { throw corrupted("malformed", depth: depth + 1) }
        return (Spot(offset: offset, depth: depth + 1), end)
    }

    /// Where the contents of the container at `spot` are; throws when there is no container of that kind.
    func contents(_ tag: Tag, _ type: Any.Type, at spot: Spot) throws -> Range<Int> {
        guard try self.tag(at: spot) == tag else { throw mismatch(type, at: spot, expected: tag.name) }
        let start = spot.offset + 5
        return start..<start + Int(bytes.load(UInt32.self, at: spot.offset + 1))
    }

    /// Scans the keyed container at `spot`; throws when there is none, it is malformed or has a key twice.
    func fields(at spot: Spot) throws -> Fields {
        let contents = try contents(.keyed, [String: Any].self, at: spot)
        scan &+= 1
        let header = entries.count
        entries.append(Entry(key: 0, offset: 0))
        var offset = contents.lowerBound
        while offset < contents.upperBound {
            guard let key = bytes.varint(at: offset, limit: contents.upperBound), key.value < UInt64(names.count),
                scans[Int(key.value)] != scan, let end = bytes.end(ofValueAt: key.end, limit: contents.upperBound)
            else { throw corrupted("malformed", depth: spot.depth) }
            scans[Int(key.value)] = scan
            entries.append(Entry(key: UInt32(key.value), offset: UInt32(key.end)))
            offset = end
        }
        entries[header].offset = UInt32(entries.count - header - 1)
        return Fields(header: header, depth: spot.depth)
    }

    /// The names in a keyed container, in the order they were written.
    func names(in fields: Fields) -> [String] {
        entries[(fields.header + 1)...].prefix(Int(entries[fields.header].offset)).map { names[Int($0.key)] }
    }

    /// The value under `name`; nil when there is none.
    func find(_ name: String, in fields: Fields) -> Spot? {
        let first = fields.header + 1
        let count = Int(entries[fields.header].offset)
        let latest = Int(entries[fields.header].key)
        var position = latest
        while position < count, position < latest + 2 {
            if names[Int(entries[first + position].key)] == name { return spot(position, in: fields) }
            position += 1
        }
        guard let key = indices[name] else { return nil }
        for position in 0..<count where entries[first + position].key == key { return spot(position, in: fields) }
        return nil
    }

    /// The keys of the first `depth` steps.
    func codingPath(depth: Int) -> [any CodingKey] { path.prefix(depth).compactMap { $0.codingKey(names: names) } }

    private func spot(_ position: Int, in fields: Fields) -> Spot {
        entries[fields.header].key = UInt32(position)
        let entry = entries[fields.header + 1 + position]
        path[fields.depth] = .key(Int(entry.key))
        return Spot(offset: Int(entry.offset), depth: fields.depth + 1)
    }
}
