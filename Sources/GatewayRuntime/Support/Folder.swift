import Glibc

/// Folders of small files.
enum Folder {
    /// The names of the entries in the folder at `path`, in no order, without those that begin with a dot; none where there is no folder.
    /// A link is not followed.
    static func names(in path: String) throws(GatewayError) -> [String] {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw StateFiles.folderError(path)
        }
        guard let folder = fdopendir(descriptor) else {
            close(descriptor)
            throw GatewayError.system(path)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
