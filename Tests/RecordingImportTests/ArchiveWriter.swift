import CArchive
import Foundation

/// Writes archives.
enum ArchiveWriter {
    enum Kind: CaseIterable {
        case zip, tar, tarGz

        var ending: String { ["zip", "tar", "tar.gz"][Self.allCases.firstIndex(of: self) ?? 0] }
    }

    /// An archive of files, in their order.
    static func archive(_ kind: Kind, _ files: [(name: String, bytes: [UInt8])]) throws -> Data {
        try write { archive in
            switch kind {
            case .zip: archive_write_set_format_zip(archive)
            case .tar, .tarGz: archive_write_set_format_ustar(archive)
            }
            if kind == .tarGz { archive_write_add_filter_gzip(archive) }
        } files: {
            files
        }
    }

    /// A gz of one file.
    static func gz(_ bytes: [UInt8]) throws -> Data {
        try write { archive in
            archive_write_set_format_raw(archive)
            archive_write_add_filter_gzip(archive)
        } files: {
            [("data", bytes)]
        }
    }

    private static func write(
        _ setUp: (OpaquePointer) -> Void, files: () -> [(name: String, bytes: [UInt8])]
    ) throws -> Data {
        let path = FileManager.default.temporaryDirectory.appending(path: "fathom-archive-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard let archive = archive_write_new() else { throw CocoaError(.fileWriteUnknown) }
        setUp(archive)
        archive_write_open_filename(archive, path)
        for file in files() {
            let entry = archive_entry_new()
            archive_entry_set_pathname(entry, file.name)
            archive_entry_set_size(entry, Int64(file.bytes.count))
            archive_entry_set_filetype(entry, 0o100000)
            archive_entry_set_perm(entry, 0o644)
            archive_write_header(archive, entry)
            archive_write_data(archive, file.bytes, file.bytes.count)
            archive_entry_free(entry)
        }
        archive_write_close(archive)
        archive_write_free(archive)
        return try Data(contentsOf: URL(filePath: path))
    }
}
