import Glibc

/// Folders of small files.
enum Folder {
    /// The names of the entries in the folder at `path`, in no order, without those that begin with a dot; none where there is no folder.
    static func names(in path: String) throws(GatewayError) -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
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
