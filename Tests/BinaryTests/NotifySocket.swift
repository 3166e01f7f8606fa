import Glibc
import LocalBroker
import Synchronization

/// A datagram socket in place of the service manager's, which collects what a service notifies.
final class NotifySocket: Sendable {
    /// What `NOTIFY_SOCKET` has to be.
    let name: String
    private let descriptor: Int32
    private let received = Mutex<[String]>([])

    /// Binds the socket at `path`, or with a leading `@` in the abstract namespace.
    init(_ path: String) throws {
        name = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2) + socklen_t(bytes.count)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard descriptor >= 0, code == 0 else { throw NeverHappened(description: "a socket at \(path): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Every line received so far.
    var lines: [String] {
        received.withLock { received in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                received += String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
            }
            return received
        }
    }
}
