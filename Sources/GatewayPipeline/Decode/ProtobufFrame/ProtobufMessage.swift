internal import TelemetryModel

/// The fields of a message by their numbers.
final class ProtobufMessage: Sendable {
    /// What is done when a message of the type has been read.
    enum Completion {
        case none
        /// The forms of `Timestamps` become one: a list, or an object with `start` and `interval`.
        case timestamps
        /// A member `packed` becomes the columns `x`, `y` and `z`.
        case vectors
    }

    /// What is done at the end of such a message.
    let completion: Completion
    /// The fields, each at its number.
    private let fields: [ProtobufField?]

    /// The message with `fields`, whose numbers are small.
    init(completion: Completion = .none, _ fields: KeyValuePairs<Int, ProtobufField>) {
        self.completion = completion
        var table = [ProtobufField?](repeating: nil, count: (fields.map(\.key).max() ?? 0) + 1)
        for (number, field) in fields { table[number] = field }
        self.fields = table
    }

    /// The field of that number; nil for one that is not known.
    func field(_ number: Int) -> ProtobufField? { number < fields.count ? fields[number] : nil }

    /// The known fields, by their numbers.
    var knownFields: [(number: Int, field: ProtobufField)] {
        fields.enumerated().compactMap { number, field in field.map { (number, $0) } }
    }
}

/// A field of a message: its name in JSON, and how its value is written.
struct ProtobufField: Sendable {
    /// How values are written, and what they become.
    enum Kind: Sendable {
        /// `double`.
        case number
        /// `repeated double`.
        case numbers
        /// `repeated float`.
        case floats
        /// `repeated sint32`, each the difference from the one before; read as their sums.
        case sums
        /// `int32`.
        case integer
        /// `repeated int32`; one alone stands for all samples.
        case integers
        /// `uint64`.
        case natural
        /// `repeated uint64`.
        case naturals
        /// `string`.
        case text
        /// A message with one field, `repeated string`.
        case texts
        /// `map<string, bool>`.
        case flags
        /// A message.
        case message(ProtobufMessage)
        /// `repeated` messages.
        case entries(ProtobufMessage)
        /// The body of a frame on `streams`: a member of its own, or without a name members of the frame.
        case body(ProtobufMessage, Set<StreamName>)
    }

    /// Its name in JSON; empty for a body whose fields are members of the frame.
    let key: String
    /// How it is written.
    let kind: Kind

    /// The field `key` in JSON.
    init(_ key: String, _ kind: Kind) {
        self.key = key
        self.kind = kind
    }

    /// The wire type of a value, of repeated fields that of an element; they may be packed too.
    var wireType: WireReader.WireType {
        switch kind {
        case .number, .numbers: .fixed64
        case .floats: .fixed32
        case .sums, .integer, .integers, .natural, .naturals: .varint
        case .text, .texts, .flags, .message, .entries, .body: .bytes
        }
    }

    /// Whether the value may be given in several parts, or as a list of packed elements.
    var isRepeated: Bool {
        switch kind {
        case .numbers, .floats, .sums, .integers, .naturals, .entries, .flags: true
        default: false
        }
    }
}
