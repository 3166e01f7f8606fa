import Glibc

extension StateDirectory {
    /// Checks, without changing anything, whether a gateway that this user starts could use the folder.
    static func check(_ path: String?) -> (finding: Finding, isInUse: Bool) {
        let key = "gateway.stateDirectory"
        guard let path else {
            return (Finding(.note, key, "is not set: the state of devices is lost when the process ends"), false)
        }
        func finding(_ verdict: Finding.Verdict, _ message: String) -> Finding { Finding(verdict, key, "\(path) \(message)") }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let parent = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : "."
            guard errno == ENOENT, access(parent.isEmpty ? "/" : parent, W_OK | X_OK) == 0 else {
                return (finding(.problem, "cannot be made: \(String(cString: strerror(errno))); make it, or set \(key)"), false)
            }
            return (finding(.ok, "will be made"), false)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return (finding(.problem, "is no folder; set \(key) to a folder"), false)
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return (
                finding(
                    .problem,
                    "cannot be written by this user: \(String(cString: strerror(errno))); change its owner, or set \(key)"),
                false
            )
        }
        let lock = open("\(path)/lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard lock >= 0 else {
            return errno == ENOENT
                ? (finding(.ok, "can be written"), false)
                : (finding(.problem, "has a lock file that cannot be opened: \(String(cString: strerror(errno)))"), false)
        }
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            return (
                finding(
                    .problem,
                    "is in use: a gateway runs with it, and the check would take over its connections. Ask the gateway itself "
                        + "(fathom health --ready), or stop it first"), true
            )
        }
        return (finding(.ok, "can be written"), false)
    }
}
