package import GatewayPipeline
import Glibc

/// The parts of a device's state that are stored in one row, one after another.
///
/// Several of them change with every frame: together they are written by one statement, mostly into one page. Each part has a
/// header: the length of its name in 2 bytes, its version in 4 and its length in 4, all little-endian; then its name and its bytes.
package struct StateRow {
    /// The row as it is stored.
    package private(set) var bytes: [UInt8] = []

    /// A row without parts.
    package init() {}

    /// The row that is written over `stored`: the parts in it that `change` neither replaces nor removes, then those of `change`
    /// that belong into the row. What cannot be read of `stored` is left out.
    init(_ stored: UnsafeRawBufferPointer, updatedBy change: StateChange) {
        bytes.reserveCapacity(stored.count + 256)
        var rest = stored[...]
        while let record = Record(&rest) {
            if !change.touches(UnsafeRawBufferPointer(rebasing: record.name)) {
                bytes += UnsafeRawBufferPointer(rebasing: record.all)
            }
        }
        for part in change.parts where !part.hasOwnRow { append(part) }
    }

    /// Adds a part whose name is not in the row yet.
    package mutating func append(_ part: StatePart) {
        var name = part.name
        name.withUTF8 { name in
            append(UInt16(clamping: name.count))
            append(UInt32(clamping: part.version))
            append(UInt32(clamping: part.bytes.count))
            bytes += name
        }
        bytes += part.bytes
    }

    /// The parts of a stored row; `damage` says from which byte on it cannot be read, nil for all of it.
    package static func parts(of bytes: [UInt8]) -> (parts: [StatePart], damage: String?) {
        bytes.withUnsafeBytes { bytes in
            var parts: [StatePart] = []
            var rest = bytes[...]
            while let record = Record(&rest), let name = String(validating: record.name, as: UTF8.self) {
                parts.append(StatePart(name: name, version: Int(record.version), bytes: Array(record.value)))
            }
            return (parts, rest.isEmpty ? nil : "byte \(rest.startIndex) of \(bytes.count) begins no part")
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}

/// One part in a stored row.
private struct Record {
    private static let header = 10

    /// With its header.
    let all: Slice<UnsafeRawBufferPointer>
    let name: Slice<UnsafeRawBufferPointer>
    let version: UInt32
    let value: Slice<UnsafeRawBufferPointer>

    /// Takes the first part from `rest`; nil, and takes nothing, where there is none.
    init?(_ rest: inout Slice<UnsafeRawBufferPointer>) {
        guard rest.count >= Self.header else { return nil }
        let (start, bytes) = (rest.startIndex, rest.base)
        let nameStart = start + Self.header
        let valueStart = nameStart + Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self)))
        version = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 2, as: UInt32.self))
        let end = valueStart + Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 6, as: UInt32.self)))
        guard end <= rest.endIndex else { return nil }
        all = rest[..<end]
        name = rest[nameStart..<valueStart]
        value = rest[valueStart..<end]
        rest = rest[end...]
    }
}

extension StateChange {
    /// Whether anything in the row of the device's state changes.
    var touchesRow: Bool { parts.contains { !$0.hasOwnRow } || removedParts.contains { !StatePart.hasOwnRow($0) } }

    fileprivate func touches(_ name: UnsafeRawBufferPointer) -> Bool {
        parts.contains { $0.name.isEqual(to: name) } || removedParts.contains { $0.isEqual(to: name) }
    }
}

extension String {
    fileprivate func isEqual(to bytes: UnsafeRawBufferPointer) -> Bool {
        guard utf8.count == bytes.count, let start = bytes.baseAddress else { return isEmpty && bytes.isEmpty }
        return utf8.withContiguousStorageIfAvailable { $0.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? true }
            ?? utf8.elementsEqual(bytes)
    }
}
