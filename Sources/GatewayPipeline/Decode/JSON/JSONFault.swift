/// Where and why a text is not JSON. simdjson's DOM does not report this, so rejected payloads are parsed again.
struct JSONFault: Error {
    /// The place in bytes from the start.
    var offset: Int
    /// The JSON pointer to the value that the place is in; empty for the whole text.
    var pointer: String
    /// What was found or expected there.
    var detail: String

    /// The first fault of `bytes`, which are UTF-8; nil when there is none. Nesting deeper than `maximumNesting` is one.
    static func find(in bytes: [UInt8], maximumNesting: Int) -> JSONFault? {
        var scanner = JSONScanner(bytes: bytes, maximumNesting: maximumNesting)
        do throws(JSONFault) {
            try scanner.scan()
            return nil
        } catch {
            return error
        }
    }

    /// The first byte that does not belong to valid UTF-8; nil when all do.
    static func firstInvalidUTF8(in bytes: [UInt8]) -> Int? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }
}
