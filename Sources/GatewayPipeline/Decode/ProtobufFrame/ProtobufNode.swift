/// A value of a frame in Protocol Buffers; valid until its document is cleared.
struct ProtobufNode: FrameValue {
    private let document: ProtobufDocument
    private let place: Int
    /// The element of the column at `place`; -1 for the value itself.
    private let element: Int

    /// The value at `place`, or an element of the column there.
    init(_ document: ProtobufDocument, _ place: Int = 0, element: Int = -1) {
        self.document = document
        self.place = place
        self.element = element
    }

    private var entry: ProtobufDocument.Entry { document.entries[place] }

    private var value: ProtobufDocument.Value {
        let value = document.entries[place].value
        guard element >= 0 else {
            if case .integers(let column) = value, column.count == 1 { return .integer(column[0]) }
            return value
        }
        switch value {
        case .numbers(let column): return .number(column[element])
        case .integers(let column): return .integer(column[element])
        case .naturals(let column): return .natural(column[element])
        default: return value
        }
    }

    var kind: JSONKind {
        switch value {
        case .object: .object
        case .list, .numbers, .integers, .naturals: .array
        case .number: .fraction
        case .integer: .integer
        case .natural(let value): Int(exactly: value) == nil ? .hugeInteger : .integer
        case .text: .string
        case .flag: .boolean
        }
    }

    var pointer: String {
        document.pointer(of: place) + (element < 0 ? "" : "/\(element)")
    }

    var uncheckedCount: Int {
        switch value {
        case .numbers(let column): column.count
        case .integers(let column): column.count
        case .naturals(let column): column.count
        default: entry.count
        }
    }

    var uncheckedString: String { if case .text(let text) = value { text } else { "" } }

    var uncheckedInteger: Int {
        switch value {
        case .integer(let value): value
        case .natural(let value): Int(clamping: value)
        default: 0
        }
    }

    /// The value of an integer without sign.
    var uncheckedNatural: UInt64 { if case .natural(let value) = value { value } else { 0 } }

    var uncheckedNumber: Double {
        switch value {
        case .number(let value): value
        case .integer(let value): Double(value)
        case .natural(let value): Double(value)
        default: 0
        }
    }

    var uncheckedBoolean: Bool { if case .flag(let flag) = value { flag } else { false } }

    var uncheckedFirst: ProtobufNode {
        entry.first >= 0 ? ProtobufNode(document, entry.first) : ProtobufNode(document, place, element: 0)
    }

    var uncheckedNext: ProtobufNode {
        element >= 0 ? ProtobufNode(document, place, element: element + 1) : ProtobufNode(document, entry.next)
    }

    func uncheckedMember(_ key: String) -> ProtobufNode? {
        document.member(key, of: place).map { ProtobufNode(document, $0) }
    }

    func uncheckedKeys(maximum: Int) -> [String] {
        var keys: [String] = []
        var child = entry.first
        while child >= 0, keys.count < maximum {
            keys.append(document.entries[child].key)
            child = document.entries[child].next
        }
        return keys
    }

    func uncheckedNumbers(_ count: Int) -> [Double] {
        switch value {
        case .numbers(let column) where column.count == count: column
        case .numbers(let column): Array(column.prefix(count))
        case .integers(let column): column.prefix(count).map(Double.init)
        case .naturals(let column): column.prefix(count).map(Double.init)
        default: []
        }
    }
}
