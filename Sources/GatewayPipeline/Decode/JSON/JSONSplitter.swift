internal import CSimdJSON

/// Cuts one line of JSON into the members of its object, each value as it is written.
///
/// A recorded payload, valid or not, must reach the pipeline byte for byte, so values are not parsed. It keeps its buffers and
/// must not be shared between threads.
@safe package final class JSONSplitter {
    /// A line that is no JSON object.
    package struct Malformed: Error {
        /// Where the fault was found, in bytes from the start of the line.
        package var offset: Int
    }

    /// A member's value.
    package struct Member: Sendable, Equatable {
        /// As it is written, the space around it left out.
        package var bytes: ArraySlice<UInt8>
        /// The text of a string; nil for anything else.
        package var text: String?

        /// The number that is written there; nil when it is none.
        package var number: Double? {
            guard text == nil else { return nil }
            var number = 0.0
            return unsafe bytes.withUnsafeBytes { unsafe csimdjson_number($0.baseAddress, $0.count, &number) != 0 } ? number : nil
        }
    }

    private let parser: OpaquePointer

    /// A splitter with empty buffers.
    package init() {
        guard let parser = unsafe csimdjson_create() else { preconditionFailure("out of memory") }
        unsafe self.parser = unsafe parser
    }

    deinit {
        unsafe csimdjson_destroy(parser)
    }

    /// The members of the object in `line` that have these names, in the names' order, the last of equal keys winning; nil for
    /// those that it has not.
    package func split(_ line: ArraySlice<UInt8>, _ names: StaticString...) throws(Malformed) -> [Member?] {
        let wanted = unsafe names.map { unsafe csimdjson_text(bytes: $0.utf8Start, length: $0.utf8CodeUnitCount) }
        var offset = 0
        let members = unsafe withUnsafeTemporaryAllocation(of: csimdjson_member.self, capacity: max(1, wanted.count)) { members in
            guard let first = members.baseAddress else { return [Member?]?.none }
            let isObject = unsafe line.withUnsafeBytes { bytes in
                unsafe csimdjson_split(parser, bytes.baseAddress, bytes.count, wanted, wanted.count, first, &offset) != 0
            }
            return unsafe isObject ? members.prefix(wanted.count).map { unsafe Self.member($0, of: line) } : nil
        }
        guard let members else { throw Malformed(offset: offset) }
        return members
    }

    private static func member(_ member: csimdjson_member, of line: ArraySlice<UInt8>) -> Member? {
        guard unsafe member.is_there != 0 else { return nil }
        let start = unsafe line.startIndex + member.start
        return unsafe Member(
            bytes: line[start..<start + member.length],
            text: member.is_string != 0
                ? String(
                    decoding: UnsafeBufferPointer(start: member.string.bytes, count: member.string.length), as: UTF8.self)
                : nil)
    }
}
