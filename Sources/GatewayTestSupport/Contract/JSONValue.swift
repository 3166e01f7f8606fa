import Foundation

/// A JSON value.
package enum JSONValue: Sendable, Equatable {
    /// An object.
    case object([String: JSONValue])
    /// An array.
    case array([JSONValue])
    /// A string.
    case string(String)
    /// A number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// Null.
    case null

    /// Parses one value; throws where `bytes` are not JSON.
    package init(parsing bytes: some Sequence<UInt8>) throws {
        self.init(try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
    }

    /// Converts a value of Foundation's parser.
    private init(_ value: Any) {
        switch value {
        case let object as [String: Any]: self = .object(object.mapValues { JSONValue($0) })
        case let array as [Any]: self = .array(array.map { JSONValue($0) })
        case let string as String: self = .string(string)
        // Foundation has one class for numbers and booleans; only booleans have the type of a C character.
        case let number as NSNumber where number.objCType.pointee == CChar(UInt8(ascii: "c")): self = .flag(number.boolValue)
        case let number as NSNumber: self = .number(number.doubleValue)
        default: self = .null
        }
    }

    /// The member of an object; nil where there is none.
    package subscript(key: String) -> JSONValue? {
        get { if case .object(let members) = self { members[key] } else { nil } }
        set {
            guard case .object(var members) = self else { return }
            members[key] = newValue
            self = .object(members)
        }
    }

    /// The members of an object; empty for another value.
    package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
    /// The elements of an array; empty for another value.
    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    /// The text of a string.
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The number.
    package var number: Double? { if case .number(let number) = self { number } else { nil } }
    /// The truth value.
    package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

    /// JSON text with sorted keys.
    package var description: String {
        switch self {
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0)):\($1.description)" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.description).joined(separator: ",") + "]"
        case .string(let text): Self.quoted(text)
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        case .flag(let flag): "\(flag)"
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
