/// The kinds of JSON value; numbers are distinguished by how they are written.
enum JSONKind {
    case object, array, string, boolean, null
    /// A number without fraction and exponent, within 64 bits with sign.
    case integer
    /// A number without fraction and exponent, between 2^63 and 2^64 - 1.
    case hugeInteger
    /// A number with a fraction or an exponent.
    case fraction

    /// Whether it is a number of any kind.
    var isNumber: Bool { self == .integer || self == .hugeInteger || self == .fraction }

    /// The kind with its article, for a sentence.
    var phrase: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .boolean: "a boolean"
        case .null: "null"
        case .integer, .hugeInteger: "an integer"
        case .fraction: "a number with a fraction or exponent"
        }
    }
}
