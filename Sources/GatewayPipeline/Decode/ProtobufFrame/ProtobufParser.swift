internal import TelemetryModel

/// Reads one frame in Protocol Buffers into a document with the names of the JSON contract, so that the rules of frames hold for both.
///
/// Strict where the format is lenient: a field that is not repeated stands once, and a known field has its wire type. Unknown fields
/// are passed over. What is kept of a frame is limited before memory is taken: columns by `maximumSamples`, lists by `maximumEntries`.
///
/// It is not SwiftProtobuf, which skips a field of another wire type silently, and grows a column anew for each of its parts: a
/// batch of floats takes 1.6 million instructions there and 0.19 million here.
struct ProtobufParser {
    let document: ProtobufDocument
    let limits: DecodeLimits
    var wire: WireReader
    private let stream: StreamName?
    private var hasBody = false

    /// Reads a frame that came on `stream` into `document`; a body of another stream is passed over, none where `stream` is nil.
    ///
    /// Throws `malformedProtobuf` and `nestedTooDeep`. The first fault of the content is noted in the document; the rest of the frame
    /// is read all the same, so that its header is known.
    static func read(
        _ payload: [UInt8], stream: StreamName?, limits: DecodeLimits, into document: ProtobufDocument
    ) throws(Rejection) -> ProtobufNode {
        document.clear()
        var parser = ProtobufParser(document: document, limits: limits, wire: WireReader(payload), stream: stream)
        let frame = document.add(.object, "", to: -1)
        try parser.readMessage(.frame, into: frame, until: payload.count, depth: 1)
        return ProtobufNode(document, frame)
    }

    private init(document: ProtobufDocument, limits: DecodeLimits, wire: WireReader, stream: StreamName?) {
        self.document = document
        self.limits = limits
        self.wire = wire
        self.stream = stream
    }

    private mutating func readMessage(
        _ message: ProtobufMessage, into object: Int, until end: Int, depth: Int
    ) throws(Rejection) {
        while wire.position < end {
            let (number, type) = try wire.tag(before: end)
            guard let field = message.field(number) else {
                try wire.skip(number, type, before: end, depth: limits.maximumNesting - depth)
                continue
            }
            guard type == field.wireType || (type == .bytes && field.isRepeated) else {
                note(.wrongType, field.key, of: object, "the field has another wire type")
                try wire.skip(number, type, before: end, depth: limits.maximumNesting - depth)
                continue
            }
            try readField(field, type, of: object, until: end, depth: depth)
        }
        complete(message.completion, object)
    }

    private mutating func readField(
        _ field: ProtobufField, _ type: WireReader.WireType, of object: Int, until end: Int, depth: Int
    ) throws(Rejection) {
        switch field.kind {
        case .numbers, .floats, .sums, .integers, .naturals:
            let range = try wire.elements(type, of: field.wireType, before: end)
            try readColumn(field, range, of: object)
        case .number:
            let value = Double(bitPattern: try wire.fixed64(before: end))
            guard value.isFinite else {
                return note(.notFinite, field.key, of: object, "expected a finite number, found \(value)")
            }
            add(.number(value), field, to: object)
        // A negative int32 has ten bytes, sign included.
        case .integer: add(.integer(Int(truncatingIfNeeded: try wire.varint(before: end))), field, to: object)
        case .natural: add(.natural(try wire.varint(before: end)), field, to: object)
        case .text:
            if let text = try readText(field, of: object, until: end) { add(.text(text), field, to: object) }
        case .texts: try readTexts(field, of: object, until: end)
        case .flags: try readFlag(field, of: object, until: end)
        case .message(let message):
            let range = try wire.range(before: end)
            try checkDepth(depth + 1)
            guard let child = add(.object, field, to: object) else { return }
            try read(message, into: child, range, depth: depth + 1)
        case .entries(let message):
            let range = try wire.range(before: end)
            try checkDepth(depth + 2)
            guard let child = addElement(.object, field, to: object) else { return }
            try read(message, into: child, range, depth: depth + 2)
        case .body(let message, let streams):
            try readBody(field, message, streams, of: object, until: end, depth: depth)
        }
    }

    private mutating func read(
        _ message: ProtobufMessage, into object: Int, _ range: Range<Int>, depth: Int
    ) throws(Rejection) {
        wire.move(to: range.lowerBound)
        try readMessage(message, into: object, until: range.upperBound, depth: depth)
    }

    /// A body without any field is one without entries: JSON writes it as an empty list.
    private mutating func readBody(
        _ field: ProtobufField, _ message: ProtobufMessage, _ streams: Set<StreamName>, of frame: Int, until end: Int, depth: Int
    ) throws(Rejection) {
        let range = try wire.range(before: end)
        if let stream, !streams.contains(stream) { return }
        guard !hasBody else { return note(.duplicateKey, field.key, of: frame, "the frame has two bodies") }
        hasBody = true
        if !field.key.isEmpty {
            try checkDepth(depth + 1)
            guard let child = add(.object, field, to: frame) else { return }
            return try read(message, into: child, range, depth: depth + 1)
        }
        try read(message, into: frame, range, depth: depth)
        if range.isEmpty,
            let list = message.knownFields.first(where: { if case .entries = $0.field.kind { true } else { false } })
        {
            add(.list, list.field, to: frame)
        }
    }

    // MARK: Texts and flags

    private mutating func readText(_ field: ProtobufField, of object: Int, until end: Int) throws(Rejection) -> String? {
        let range = try wire.range(before: end)
        guard let text = String(validating: wire.bytes[range], as: UTF8.self) else {
            note(.invalidUTF8, field.key, of: object, "not valid UTF-8 at byte \(range.lowerBound)")
            return nil
        }
        return text
    }

    private mutating func readTexts(_ field: ProtobufField, of object: Int, until end: Int) throws(Rejection) {
        let range = try wire.range(before: end)
        guard let list = add(.list, field, to: object) else { return }
        wire.move(to: range.lowerBound)
        while wire.position < range.upperBound {
            let (number, type) = try wire.tag(before: range.upperBound)
            guard number == 1, type == .bytes else {
                try wire.skip(number, type, before: range.upperBound, depth: limits.maximumNesting)
                continue
            }
            guard let text = try readText(field, of: object, until: range.upperBound) else { continue }
            guard hasRoom(in: list) else { continue }
            _ = document.add(.text(text), "", to: list)
        }
    }

    /// Reads one entry of a map: the key is field 1, the value field 2.
    private mutating func readFlag(_ field: ProtobufField, of object: Int, until end: Int) throws(Rejection) {
        let range = try wire.range(before: end)
        let map = document.member(field.key, of: object) ?? document.add(.object, field.key, to: object)
        var key = ""
        var flag = false
        wire.move(to: range.lowerBound)
        while wire.position < range.upperBound {
            let (number, type) = try wire.tag(before: range.upperBound)
            switch (number, type) {
            case (1, .bytes): key = try readText(field, of: object, until: range.upperBound) ?? ""
            case (2, .varint): flag = try wire.varint(before: range.upperBound) != 0
            case (1...2, _):
                note(.wrongType, field.key, of: object, "the field has another wire type")
                try wire.skip(number, type, before: range.upperBound, depth: limits.maximumNesting)
            default: try wire.skip(number, type, before: range.upperBound, depth: limits.maximumNesting)
            }
        }
        guard hasRoom(in: map) else { return }
        add(.flag(flag), ProtobufField(key, .flags), to: map)
    }

    // MARK: Adding

    /// Adds a member, and returns its place; nil where the object has one of that name, which is a fault.
    @discardableResult
    private func add(_ value: ProtobufDocument.Value, _ field: ProtobufField, to object: Int) -> Int? {
        guard document.member(field.key, of: object) == nil else {
            note(.duplicateKey, field.key, of: object, "the field is there twice")
            return nil
        }
        return document.add(value, field.key, to: object)
    }

    /// Adds an element to the list of that name, and returns its place; nil for one that is too many.
    private func addElement(_ value: ProtobufDocument.Value, _ field: ProtobufField, to object: Int) -> Int? {
        let list = document.member(field.key, of: object) ?? document.add(.list, field.key, to: object)
        return hasRoom(in: list) ? document.add(value, "", to: list) : nil
    }

    private func hasRoom(in list: Int) -> Bool {
        let isFull = document.entries[list].count >= limits.maximumEntries
        if isFull {
            document.note(
                Rejection(
                    .columnLength, at: document.pointer(of: list), "more than \(limits.maximumEntries) entries, so many are read")
            )
        }
        return !isFull
    }

    private func checkDepth(_ depth: Int) throws(Rejection) {
        guard depth <= limits.maximumNesting else {
            throw Rejection(.nestedTooDeep, "nested more than \(limits.maximumNesting) deep at byte \(wire.position)")
        }
    }

    /// Notes a fault of a member of `object`.
    func note(_ reason: RejectionReason, _ key: String, of object: Int, _ detail: @autoclosure () -> String) {
        let place = key.isEmpty ? "" : "/" + key.pointerToken
        document.note(Rejection(reason, at: document.pointer(of: object) + place, detail()))
    }
}
