/// Reads JSON by its grammar (RFC 8259) up to the first fault, without recursion.
struct JSONScanner {
    private enum Container {
        case object(key: Range<Int>?)
        case array(index: Int)
    }

    let bytes: [UInt8]
    private let maximumNesting: Int
    var index = 0
    private var containers: [Container] = []

    init(bytes: [UInt8], maximumNesting: Int) {
        self.bytes = bytes
        self.maximumNesting = maximumNesting
    }

    mutating func scan() throws(JSONFault) {
        skipSpace()
        while true {
            if try beginValue() { continue }
            if try endValue() { return }
        }
    }

    /// Reads a value, or the opening of one that holds others: then the first of those follows.
    private mutating func beginValue() throws(JSONFault) -> Bool {
        switch peek {
        case UInt8(ascii: "{"): return try open(.object(key: nil), close: "}")
        case UInt8(ascii: "["): return try open(.array(index: 0), close: "]")
        case UInt8(ascii: "\""): try string()
        case .some(let byte) where byte == UInt8(ascii: "-") || isDigit(byte): try number()
        case .some(let byte) where isLetter(byte): try literal()
        case .some: throw fault("expected a value")
        case nil: throw fault("the text ends where a value was expected")
        }
        return false
    }

    private mutating func open(_ container: Container, close: Unicode.Scalar) throws(JSONFault) -> Bool {
        guard containers.count < maximumNesting else { throw fault("nested more than \(maximumNesting) deep") }
        containers.append(container)
        index += 1
        skipSpace()
        if peek == UInt8(ascii: close) {
            index += 1
            containers.removeLast()
            return false
        }
        if case .object = container { try key() }
        return true
    }

    /// Reads what may follow a value, up to the next one; whether the text is at its end.
    private mutating func endValue() throws(JSONFault) -> Bool {
        while true {
            skipSpace()
            guard let container = containers.last else {
                guard index == bytes.count else { throw fault("something follows the value") }
                return true
            }
            let (close, name): (Unicode.Scalar, String) =
                if case .object = container { ("}", "an object") } else { ("]", "an array") }
            guard let byte = peek else { throw fault("the text ends within \(name)") }
            if byte == UInt8(ascii: close) {
                index += 1
                containers.removeLast()
                continue
            }
            guard byte == UInt8(ascii: ",") else { throw fault("expected , or \(close) after the value") }
            index += 1
            skipSpace()
            switch container {
            case .object:
                containers[containers.count - 1] = .object(key: nil)
                try key()
            case .array(let index): containers[containers.count - 1] = .array(index: index + 1)
            }
            return false
        }
    }

    private mutating func key() throws(JSONFault) {
        guard peek == UInt8(ascii: "\"") else { throw fault("expected a key in quotation marks") }
        let start = index
        try string()
        containers[containers.count - 1] = .object(key: start + 1..<index - 1)
        skipSpace()
        guard peek == UInt8(ascii: ":") else { throw fault("expected : after the key") }
        index += 1
        skipSpace()
    }

    // MARK: Places

    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static let longestPointer = 64

    func fault(_ detail: String) -> JSONFault {
        var pointer = ""
        for container in containers.prefix(Self.longestPointer) {
            switch container {
            case .array(let index): pointer += "/\(index)"
            case .object(let key):
                guard let key else { continue }
                pointer += "/" + String(decoding: bytes[key], as: UTF8.self).pointerToken
            }
        }
        return JSONFault(offset: index, pointer: pointer, detail: detail)
    }
}
