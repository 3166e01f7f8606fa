import Foundation

/// Small text files, written whole.
enum Files {
    /// The text of a file.
    static func read(_ path: String) throws(SetupError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { throw SetupError("\(path) cannot be read") }
        guard let text = String(validating: data, as: UTF8.self) else { throw SetupError("\(path) is not UTF-8") }
        return text
    }

    /// Writes a new file, for its owner alone where it is secret.
    static func write(_ text: String, to path: String, isSecret: Bool = false) throws(SetupError) {
        try write(text, to: path, mode: isSecret ? 0o600 : 0o644)
    }

    /// Replaces a file in one step: a reader finds the old text or the new one. Keeps its permissions and owner.
    static func replace(_ path: String, with text: String) throws(SetupError) {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        var status = stat()
        guard stat(target, &status) == 0 else { throw system(target) }
        let temporary = "\(target).\(getpid()).new"
        unlink(temporary)
        do throws(SetupError) {
            try write(text, to: temporary, mode: status.st_mode & 0o777, owner: (status.st_uid, status.st_gid))
            guard rename(temporary, target) == 0 else { throw system(target) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Makes a folder for its owner alone.
    static func makeFolder(_ path: String) throws(SetupError) {
        guard mkdir(path, 0o700) == 0 else { throw system(path) }
    }

    private static func write(
        _ text: String, to path: String, mode: mode_t, owner: (user: uid_t, group: gid_t)? = nil
    ) throws(SetupError) {
        // O_EXCL follows no link.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw system(path) }
        defer { close(descriptor) }
        if let owner { _ = fchown(descriptor, owner.user, owner.group) }
        // The process's mask may have taken away what the file had.
        guard fchmod(descriptor, mode) == 0 else { throw system(path) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw system(path) }
            bytes = bytes.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw system(path) }
    }

    static func system(_ path: String) -> SetupError { SetupError("\(path): \(String(cString: strerror(errno)))") }
}
