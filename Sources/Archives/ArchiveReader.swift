internal import CArchive

/// The files in an archive (zip, tar, tar.gz), or the one that a gz holds, read in order. Nothing is ever written to disk.
@safe package final class ArchiveReader {
    /// Why an archive is not read, or not further.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The reason.
        package let description: String
    }

    /// A file in an archive.
    package struct Entry: Sendable, Equatable {
        /// Its path in the archive.
        package var name: String
        /// Its bytes as the archive states them; nil where it does not.
        package var size: Int64?
    }

    /// An archive that unpacks to more than so many bytes, and to more than so many for each of its own, is made to do harm: the gateway's
    /// own recordings, of zeros, reach 150.
    private static let (freeBytes, ratio) = (Int64(1) << 28, Int64(300))
    /// More files are in no export. To find one of them the others before it are passed, so that the time grows with the square of their number.
    private static let mostEntries = 2_000
    /// The type of a file in `st_mode`.
    private static let regularFile: UInt32 = 0o100000
    private static let blockBytes = 1 << 17
    /// Of a piece that is damaged nothing is given.
    private static let pieceBytes = 1 << 14

    private let archive: OpaquePointer
    private let limit: Int64
    private var entries = 0
    private var unpacked: Int64 = 0
    private var current = Entry(name: "")
    /// What the current file states that it holds, and was not read yet: it was counted when the file began.
    private var stated: Int64 = 0

    /// Whether it is one file that is compressed, and no archive; known after the first entry.
    package private(set) var isSingle = false

    /// Whether a file that begins so is an archive or compressed.
    package static func recognizes(_ beginning: [UInt8]) -> Bool {
        isCompressed(beginning) || [[3, 4], [5, 6]].contains { beginning.starts(with: [0x50, 0x4B] + $0) }
            || beginning.dropFirst(257).starts(with: "ustar".utf8)
    }

    /// Whether a file that begins so is a gz.
    package static func isCompressed(_ beginning: [UInt8]) -> Bool { beginning.starts(with: [0x1F, 0x8B]) }

    /// Opens the file of `packedBytes` at `path`.
    package init(path: String, packedBytes: Int64) throws(Failure) {
        guard let archive = unsafe archive_read_new() else { throw Failure(description: "no memory") }
        unsafe self.archive = unsafe archive
        let (product, overflow) = packedBytes.multipliedReportingOverflow(by: Self.ratio)
        limit = overflow ? .max : max(Self.freeBytes, product)
        // Only what the library unpacks itself: other filters run programs.
        unsafe archive_read_support_filter_gzip(archive)
        unsafe archive_read_support_format_zip(archive)
        unsafe archive_read_support_format_tar(archive)
        unsafe archive_read_support_format_raw(archive)
        guard unsafe archive_read_open_filename(archive, path, Self.blockBytes) == ARCHIVE_OK else {
            throw failure("is an archive")
        }
    }

    deinit { unsafe archive_read_free(archive) }

    /// Goes to the next file; nil after the last one.
    package func next() throws(Failure) -> Entry? {
        while true {
            var found: OpaquePointer?
            let status = unsafe archive_read_next_header(archive, &found)
            if status == ARCHIVE_EOF { return nil }
            guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry = unsafe found else {
                throw failure("is an archive")
            }
            entries += 1
            guard entries <= Self.mostEntries else {
                throw Failure(description: "holds more than \(Self.mostEntries) files, as no export does: unpack it to read all")
            }
            isSingle = unsafe archive_format(archive) == ARCHIVE_FORMAT_RAW
            let type = unsafe archive_entry_filetype(entry)
            guard isSingle || type == Self.regularFile else { continue }
            let size = unsafe archive_entry_size_is_set(entry) != 0 ? unsafe archive_entry_size(entry) : nil
            current = Entry(name: unsafe Self.name(of: entry) ?? "\(entries)", size: size)
            stated = max(0, size ?? 0)
            try count(stated)
            return current
        }
    }

    private static func name(of entry: OpaquePointer) -> String? {
        if let text = unsafe archive_entry_pathname_utf8(entry) { return unsafe String(cString: text) }
        return unsafe archive_entry_pathname(entry).map { unsafe String(cString: $0) }
    }

    /// The next piece of the current file; empty at its end.
    package func read() throws(Failure) -> [UInt8] {
        var status = 0
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
            status = unsafe archive_read_data(archive, buffer.baseAddress, buffer.count)
            count = max(0, status)
        }
        if status < 0 { throw failure("is in an archive") }
        let counted = min(stated, Int64(piece.count))
        stated -= counted
        try count(Int64(piece.count) - counted)
        return piece
    }

    private func count(_ bytes: Int64) throws(Failure) {
        let (sum, overflow) = unpacked.addingReportingOverflow(bytes)
        unpacked = sum
        guard !overflow, sum <= limit else {
            throw Failure(
                description: "unpacks to more than \(limit) bytes, \(Self.ratio) for each of its own; it is not read further")
        }
    }

    private func failure(_ place: String) -> Failure {
        let text = unsafe archive_error_string(archive).map { unsafe String(cString: $0) } ?? "cannot be read"
        let end = text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex
        return Failure(description: "\(place) that is damaged, cut short or encrypted (\(text[..<end]))")
    }
}
