internal import FoundationEssentials

/// Files as text.
enum TextFile {
    /// The text of a file, or why it cannot be read, as the rest of a sentence that starts with its key.
    static func read(_ path: String) throws(SettingFault) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SettingFault(message: "names \(path.debugDescription), which \(whyUnreadable(path))")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw SettingFault(message: "names \(path.debugDescription), which is not UTF-8")
        }
        return text
    }

    /// Why a file cannot be read, as the rest of a sentence.
    static func whyUnreadable(_ path: String) -> String {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return "does not exist" }
        if isFolder { return "is a folder" }
        return isReadable(path) ? "is not UTF-8 text" : "cannot be read"
    }

    static func isReadable(_ path: String) -> Bool { FileManager.default.isReadableFile(atPath: path) }

    /// A path that, if relative, starts at the folder of a file.
    static func resolve(_ path: String, besides file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}
