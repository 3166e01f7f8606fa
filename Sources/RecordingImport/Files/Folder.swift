import Glibc

/// A folder of files, or a file that holds files.
enum Folder {
    /// Whether there is a folder at `path`, or a file that holds files. Throws when the file cannot be read.
    static func isFolder(_ path: String) throws(ImportProblem) -> Bool {
        if isDirectory(path) { return true }
        return try FilePlace.names(in: path) != nil
    }

    /// Whether there is a folder at `path`.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The bytes of the file, or of all files of the folder and those in it, at `path`; 0 where there is nothing to read.
    static func size(of path: String) -> Int {
        guard isDirectory(path) else { return (try? FileChunks.size(of: path)) ?? 0 }
        let inner = ((try? names(path)) ?? []).map { join(path, $0) }
        return inner.filter { !isLinkedFolder($0) }.reduce(0) { $0 + size(of: $1) }
    }

    /// Whether there is a link to a folder at `path`: those in a folder are not followed, as they may form a circle.
    static func isLinkedFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK && isDirectory(path)
    }

    /// The path of `name` in the folder or file at `path`.
    static func join(_ path: String, _ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// The names in the folder at `path` but for hidden ones, in an order that is the same everywhere; of an archive those with the folders in
    /// it.
    static func names(_ path: String) throws(ImportProblem) -> [String] {
        if !isDirectory(path), let names = try FilePlace.names(in: path) { return names }
        guard let folder = opendir(path) else { throw ImportProblem(String(cString: strerror(errno)), file: path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
