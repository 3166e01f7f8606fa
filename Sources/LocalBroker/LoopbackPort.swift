import Glibc

/// TCP ports of 127.0.0.1.
package enum LoopbackPort {
    /// A port that was free a moment ago.
    ///
    /// It lies below the range from which Linux gives ports to outgoing connections (32768 and above by default), so that no
    /// connection takes it before a server listens, or while the server restarts.
    package static func free() throws -> UInt16 {
        for _ in 0..<1_000 {
            let candidate = UInt16.random(in: 20_000..<32_768)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
            defer { close(descriptor) }
            if withAddress(candidate, { bind(descriptor, $0, $1) }) == 0 { return candidate }
        }
        throw NeverHappened(description: "a free port: errno \(errno)")
    }

    /// Whether something accepts connections on `port`.
    package static func isOpen(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return withAddress(port) { connect(descriptor, $0, $1) } == 0
    }

    /// A socket that listens on a free port.
    package static func listen(backlog: Int32) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0, withAddress(0, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            throw NeverHappened(description: "no port to listen on: errno \(errno)")
        }
        return descriptor
    }

    /// The port `descriptor` is bound to.
    package static func port(of descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard code == 0 else { throw NeverHappened(description: "no port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
