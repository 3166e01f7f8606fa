import Glibc

/// The service manager that started the process, as systemd with `Type=notify` does: it is sent datagrams on the socket that
/// `NOTIFY_SOCKET` names.
package struct ServiceManager: Sendable {
    private let socketPath: String
    /// The longest time between two `WATCHDOG=1`, in seconds; nil where none are expected.
    let watchdogSeconds: Double?

    /// A shorter time would have the process do nothing but notify.
    private static let shortestWatchdogSeconds = 0.1

    /// The manager named by the variables of this process; nil where there is none.
    package init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            (2...107).contains(path.utf8.count)
        else { return nil }
        socketPath = path
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let watchdog = isMeant ? environment["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0 : 0
        watchdogSeconds = watchdog > 0 ? max(Double(watchdog) / 1e6, Self.shortestWatchdogSeconds) : nil
    }

    /// Sends one notification, such as `READY=1`. A manager that cannot be reached is ignored.
    func notify(_ lines: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with @ is in the abstract namespace, where a zero byte stands in its place.
        let name = Array(socketPath.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name)
            if name.first == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + socklen_t(name.count)
        let bytes = Array(lines.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, length)
            }
        }
    }
}
