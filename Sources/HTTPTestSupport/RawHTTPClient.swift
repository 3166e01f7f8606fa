import Dispatch
import Glibc

/// A TCP client on loopback that sends any bytes; it reads on a thread of its own, so that waiting blocks no task.
package final class RawHTTPClient: Sendable {
    private let descriptor: Int32

    /// Connects to a port of 127.0.0.1. `receiveBytes` is the size of the socket's receive buffer.
    package init(port: Int, receiveBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw ConnectFailed(code: errno) }
    }

    deinit { close(descriptor) }

    /// Sends all bytes; what the server has closed already is not reported here.
    package func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the sending side of the connection; answers can still be read.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything until the server closes the connection, or resets it.
    package func readAll() async -> String { await read { _ in false } }

    /// What arrives until it contains `text`, or the server closes the connection.
    package func read(until text: String) async -> String { await read { $0.contains(text) } }

    private func read(isEnough: @escaping @Sendable (String) -> Bool) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    bytes += buffer[..<count]
                    if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// Sends a GET for `target` on a connection of its own and returns the whole answer.
    package static func get(_ target: String, port: Int, fields: String = "", method: String = "GET") async throws -> String {
        let client = try RawHTTPClient(port: port)
        client.send("\(method) \(target) HTTP/1.1\r\n\(fields.contains("Host:") ? "" : "Host: 127.0.0.1\r\n")\(fields)\r\n")
        return await client.readAll()
    }
}

/// Nothing listens on the port.
package struct ConnectFailed: Error {
    /// The system's error number.
    package let code: Int32
}
