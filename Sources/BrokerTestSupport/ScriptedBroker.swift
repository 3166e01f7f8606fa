import Dispatch
import Glibc
import LocalBroker

/// A TCP server that sends only the packets of a test, which controls and checks what is on the wire and when.
package final class ScriptedBroker: Sendable {
    /// The port clients connect to.
    package let port: UInt16

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "scripted-broker")

    /// Starts to listen.
    package init() throws {
        descriptor = try LoopbackPort.listen(backlog: 8)
        port = try LoopbackPort.port(of: descriptor)
    }

    deinit { close(descriptor) }

    /// Waits up to 10 s for the next connection.
    package func accept() async throws -> ScriptedConnection {
        try await queue.run { [descriptor] in
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 10_000) == 1 else { throw NeverHappened(description: "a connection") }
            return ScriptedConnection(descriptor: Glibc.accept(descriptor, nil, nil))
        }
    }

    /// Waits for the next connection and its CONNECT, which is answered with `packet`.
    package func accept(answering packet: Packet) async throws -> ScriptedConnection {
        let connection = try await accept()
        try await connection.expect(.connect)
        try await connection.send(packet)
        return connection
    }
}

/// One client of a scripted broker.
package final class ScriptedConnection: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "scripted-connection")

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends packets in one write.
    package func send(_ packets: Packet...) async throws {
        let bytes = packets.flatMap(\.bytes)
        try await queue.run { [descriptor] in
            guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                throw NeverHappened(description: "sending: errno \(errno)")
            }
        }
    }

    /// Waits up to 10 s for the next packet; nil when the client has closed.
    package func receive() async throws -> Packet? {
        try await queue.run { [descriptor] in
            guard let header = try Self.byte(descriptor) else { return nil }
            var (length, shift) = (0, 0)
            while let byte = try Self.byte(descriptor) {
                length |= Int(byte & 0x7f) << shift
                shift += 7
                if byte & 0x80 == 0 { break }
            }
            var body: [UInt8] = []
            while body.count < length, let byte = try Self.byte(descriptor) { body.append(byte) }
            return Packet(header: header, body: body)
        }
    }

    /// Waits for the next packet and throws unless it is of this kind.
    @discardableResult
    package func expect(_ kind: Packet.Kind) async throws -> Packet {
        guard let packet = try await receive(), packet.kind == kind else {
            throw NeverHappened(description: "packet \(kind)")
        }
        return packet
    }

    /// Whether the client sends nothing, and does not close, for this long.
    package func isSilent(forMilliseconds milliseconds: Int32) async throws -> Bool {
        try await queue.run { [descriptor] in
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&request, 1, milliseconds) == 0
        }
    }

    /// Closes our side.
    package func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func byte(_ descriptor: Int32) throws -> UInt8? {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 10_000) == 1 else { throw NeverHappened(description: "a packet") }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 1 ? byte : nil
    }
}

extension DispatchQueue {
    /// Runs blocking code away from the cooperative pool.
    fileprivate func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Result { try body() }) }
        }
    }
}
