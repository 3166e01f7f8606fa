extension FrameValue {
    /// A rejection of this value or, with `key`, of a member that it has or should have.
    func rejection(_ reason: RejectionReason, key: String? = nil, _ detail: String) -> Rejection {
        Rejection(reason, at: key.map { pointer + "/" + $0.pointerToken } ?? pointer, detail)
    }

    private func mismatch(expected: String) -> Rejection {
        rejection(.wrongType, "expected \(expected), found \(kind.phrase)")
    }

    /// The member named `key`, nil where there is none; throws `wrongType` unless this is an object.
    func member(_ key: String) throws(Rejection) -> Self? {
        guard kind == .object else { throw mismatch(expected: "an object") }
        return uncheckedMember(key)
    }

    /// The member named `key`; throws `missingField` where there is none, with the most similar key as a suggestion.
    func required(_ key: String) throws(Rejection) -> Self {
        guard let value = try member(key) else {
            throw rejection(.missingField, key: key, "the field is missing" + (misspelling(of: key).map { "; \($0)" } ?? ""))
        }
        return value
    }

    /// The suggestion that a similar key of this object was meant to be `key`; nil where there is none.
    func misspelling(of key: String) -> String? {
        guard kind == .object, let found = key.nearest(among: uncheckedKeys(maximum: Self.mostKeys)) else { return nil }
        return "found \(found.quoted), did you mean \(key.quoted)?"
    }

    /// How many keys are compared; frames have fewer.
    private static var mostKeys: Int { 64 }

    /// The member named `key`; null counts as absent, which is how many encoders write Swift's nil.
    func optional(_ key: String) throws(Rejection) -> Self? {
        guard let value = try member(key), value.kind != .null else { return nil }
        return value
    }

    /// The number, finite, rounded to the nearest double; throws `wrongType`, or `notFinite` for a text such as `"NaN"`.
    func number() throws(Rejection) -> Double {
        guard kind.isNumber else {
            if kind == .string, NonFiniteNumber.isNamed(uncheckedString) {
                throw rejection(.notFinite, "expected a finite number, found \(uncheckedString.quoted)")
            }
            throw mismatch(expected: "a number")
        }
        return uncheckedNumber
    }

    /// The integer, written without fraction and exponent; throws `wrongType`, or `invalidValue` from 2^63 on.
    func integer() throws(Rejection) -> Int {
        switch kind {
        case .integer: return uncheckedInteger
        case .hugeInteger: throw rejection(.invalidValue, "the integer is too large")
        default: throw mismatch(expected: "an integer")
        }
    }

    /// The boolean; throws `wrongType`.
    func boolean() throws(Rejection) -> Bool {
        guard kind == .boolean else { throw mismatch(expected: "a boolean") }
        return uncheckedBoolean
    }

    /// The string, whatever it holds; throws `wrongType`.
    func string() throws(Rejection) -> String {
        guard kind == .string else { throw mismatch(expected: "a string") }
        return uncheckedString
    }

    /// The string, at most `maximumBytes` of UTF-8 and without control characters; throws `wrongType` or `invalidValue`.
    func line(maximumBytes: Int) throws(Rejection) -> String {
        let text = try string()
        guard text.utf8.count <= maximumBytes else {
            throw rejection(.invalidValue, "the text is longer than \(maximumBytes) bytes")
        }
        guard text.unicodeScalars.allSatisfy(\.isPrintable) else {
            throw rejection(.invalidValue, "the text \(text.quoted) holds characters that do not print")
        }
        return text
    }

    /// The number of elements; throws `wrongType` unless this is an array.
    func count() throws(Rejection) -> Int {
        guard kind == .array else { throw mismatch(expected: "an array") }
        return uncheckedCount
    }

    /// Element `index` of an array that has so many.
    func element(_ index: Int) -> Self {
        var element = uncheckedFirst
        for _ in 0..<index { element = element.uncheckedNext }
        return element
    }

    /// Every element in turn; throws `wrongType` unless this is an array.
    func map<Element>(_ transform: (Self) throws(Rejection) -> Element) throws(Rejection) -> [Element] {
        let count = try count()
        var elements: [Element] = []
        elements.reserveCapacity(count)
        guard count > 0 else { return elements }
        var element = uncheckedFirst
        elements.append(try transform(element))
        for _ in 1..<count {
            element = element.uncheckedNext
            elements.append(try transform(element))
        }
        return elements
    }

    /// The numbers of an array; throws `wrongType` for anything else, with the place of the first element that is none.
    func numbers() throws(Rejection) -> [Double] {
        let count = try count()
        let numbers = uncheckedNumbers(count)
        return numbers.count == count ? numbers : try map { element throws(Rejection) in try element.number() }
    }
}
