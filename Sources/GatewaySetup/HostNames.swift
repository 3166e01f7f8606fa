import Foundation

/// The names and addresses of this machine.
package enum HostNames {
    /// `localhost` and its address, the host name, and the IPv4 addresses of its network interfaces.
    package static var all: [String] {
        var names = ["localhost", "127.0.0.1"]
        for name in [ProcessInfo.processInfo.hostName] + addresses where !names.contains(name) && Certificates.isName(name) {
            names.append(name)
        }
        return names
    }

    /// The IPv4 addresses of the interfaces that are up, without loopback.
    package static var addresses: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var (found, next): ([String], UnsafeMutablePointer<ifaddrs>?) = ([], first)
        while let interface = next?.pointee {
            next = interface.ifa_next
            guard let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET else { continue }
            guard interface.ifa_flags & UInt32(IFF_UP) != 0, interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0 else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { continue }
            found.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return found
    }
}
