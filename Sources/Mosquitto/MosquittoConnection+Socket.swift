import Glibc

extension MosquittoConnection {
    /// Whether the socket has something to read, its end included; never blocks.
    var hasInput: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) > 0
    }

    /// Makes the kernel collect what is written until whole segments are full, or send what it has collected.
    ///
    /// Each segment that leaves alone wakes the broker, which costs more than the call that writes it.
    func holdSegments(_ isHeld: Bool) {
        guard socket >= 0 else { return }
        var value: Int32 = isHeld ? 1 : 0
        _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Detects failures of a TLS handshake that 2.0.11 treats as progress, which would make the loop call it again at once
    /// without end.
    func checkHandshake() {
        guard !isEstablished, socket >= 0 else { return }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return fail(errno: errno) }
        guard code == 0 else { return fail(errno: code) }
        var byte: UInt8 = 0
        if unsafe recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0 { fail(errno: 0) }
    }

    /// Shuts down the socket, so that the broker delivers again at once and publishes the will.
    func abandon() {
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Writes what is queued and DISCONNECT, and waits for the broker to close; both together for at most `limit`.
    func disconnect(within limit: Duration, wakeUp: WakeUp) {
        let deadline = MonotonicInstant.now + limit
        // The library closes the socket right behind DISCONNECT. With input unread Linux would then send a reset, which may
        // overtake our last acknowledgements in the broker. So the descriptor is kept open past the library's close.
        let descriptor = dup(socket)
        defer { if descriptor >= 0 { close(descriptor) } }
        queueDisconnect()
        while socket >= 0, wantsWrite, let left = Self.milliseconds(until: deadline) {
            if wakeUp.wait(socket: socket, forReading: false, forWriting: true, milliseconds: left).isWritable { write() }
        }
        guard descriptor >= 0 else { return }
        shutdown(descriptor, Int32(SHUT_WR))
        var discarded: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while let left = Self.milliseconds(until: deadline) {
            guard wakeUp.wait(socket: descriptor, forReading: true, forWriting: false, milliseconds: left).isReadable else {
                continue
            }
            let count = unsafe withUnsafeMutableBytes(of: &discarded) { bytes in
                unsafe recv(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
            }
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return }
        }
    }

    private static func milliseconds(until deadline: MonotonicInstant) -> Int32? {
        let left = MonotonicInstant.now.milliseconds(until: deadline)
        return left > 0 ? left : nil
    }
}
