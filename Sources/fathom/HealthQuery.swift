import Foundation

/// Asks a gateway for its health over HTTP, blocking.
enum HealthQuery {
    /// What a gateway answered.
    struct Answer: Equatable {
        /// Whether the status is 200.
        var isWell: Bool
        /// The problems that it names.
        var problems: [Problem]
    }

    /// One element of the answer's list.
    struct Problem: Equatable, Decodable {
        var check: String
        var problem: String
        /// True for what does not keep frames from flowing; else absent.
        var warning: Bool?
    }

    /// Why there is no answer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let timeoutSeconds = 5

    /// Sends one GET. An address that means every interface is asked on loopback.
    static func ask(_ path: String, of address: String, port: Int) throws -> Answer {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][address] ?? address
        let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
        let descriptor = try connected(to: host, port: port)
        defer { close(descriptor) }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw failure(host, port)
        }
        var response = Data()
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            // In all: each read alone would never time out with a server that sends a little from time to time.
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&readable, 1, Int32(max(0, left))) != 0 else { throw late(host, port) }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0 { throw failure(host, port) }
            if count == 0 { return try parse(response) }
            response.append(contentsOf: chunk[..<count])
            guard response.count <= Self.mostBytes else { throw Failure(description: "what listens there is no gateway") }
        }
    }

    /// The answer in a whole HTTP/1.1 response.
    static func parse(_ response: Data) throws -> Answer {
        guard let end = response.range(of: Data("\r\n\r\n".utf8)),
            let head = String(data: response[..<end.lowerBound], encoding: .utf8), head.hasPrefix("HTTP/1."),
            let status = head.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap({ Int($0) })
        else { throw Failure(description: "what listens there is no gateway") }
        let body = response[end.upperBound...]
        guard status == 200 || status == 503, let problems = try? JSONDecoder().decode([Problem].self, from: body) else {
            throw Failure(description: "what listens there is no gateway: status \(status)")
        }
        return Answer(isWell: status == 200, problems: problems)
    }

    /// The answer of a gateway has a line for each problem.
    private static let mostBytes = 1 << 20

    /// A connected socket whose reads and writes time out.
    private static func connected(to host: String, port: Int) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let address = found else {
            throw Failure(description: "\(host): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { throw failure(host, port) }
        var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
            defer { close(descriptor) }
            throw failure(host, port)
        }
        return descriptor
    }

    private static func failure(_ host: String, _ port: Int) -> Failure {
        // What connecting says when it takes too long is EINPROGRESS.
        if errno == EAGAIN || errno == EINPROGRESS { return late(host, port) }
        return Failure(description: "\(host):\(port): \(String(cString: strerror(errno)))")
    }

    private static func late(_ host: String, _ port: Int) -> Failure {
        Failure(description: "\(host):\(port): no whole answer within \(timeoutSeconds) s")
    }
}
