import CCrashMark
import GatewayPipeline
import Glibc

/// Records the frame being processed in a file that outlives a crash of the process.
///
/// Only a crash counts: a kill is not caused by the frame that was being processed.
final class FrameTracer: @unchecked Sendable {
    // Written by its lane alone, and by the signal handler of the thread that runs it.
    private let mark: UnsafeMutablePointer<crash_mark>

    /// A record in the file at `path`, for payloads of up to `payloadBytes`.
    init(path: String, payloadBytes: Int) throws(GatewayError) {
        let file = try StateFiles.open(path, O_RDWR | O_CREAT)
        defer { close(file) }
        guard let mark = crash_mark_map(file, UInt32(clamping: payloadBytes + 65_536)) else { throw GatewayError.system(path) }
        self.mark = mark
    }

    deinit { crash_mark_close(mark) }

    /// Installs the signal handlers that mark a record as crashed; before that crashes leave none.
    static func install() { crash_mark_install() }

    /// Runs `body`, which processes `message`.
    func trace<Answer>(_ message: InboundMessage, _ body: () -> Answer) -> Answer {
        message.payload.withUnsafeBytes { payload in
            var topic = message.topic
            topic.withUTF8 { topic in
                crash_mark_begin(mark, topic.baseAddress, topic.count, payload.baseAddress, payload.count)
            }
        }
        defer { crash_mark_end(mark) }
        PoisonHook.crash(on: message)
        return body()
    }

    /// Overwrites what earlier frames have left in the file.
    func clear() { crash_mark_clear(mark) }

    /// The topic and payload of the frame on which an earlier process crashed; nil when it did not, and after the first call.
    func takeCrash() -> (topic: String, payload: [UInt8])? {
        defer { crash_mark_end(mark) }
        guard mark.pointee.state == 2 else { return nil }
        let bytes = crash_mark_bytes(mark)
        let topicLength = Int(mark.pointee.topic_length)
        let topic = UnsafeBufferPointer(start: bytes, count: topicLength)
        let payload = UnsafeBufferPointer(start: bytes + topicLength, count: Int(mark.pointee.payload_length))
        return (String(decoding: topic, as: UTF8.self), Array(payload))
    }
}

/// Makes a debug build crash on frames that hold the text of `FATHOM_POISON`, for tests of the quarantine.
private enum PoisonHook {
    static func crash(on message: InboundMessage) {
        #if DEBUG
            guard let poison, message.payload.count >= poison.count else { return }
            if String(decoding: message.payload, as: UTF8.self).contains(String(decoding: poison, as: UTF8.self)) { abort() }
        #endif
    }

    #if DEBUG
        private static let poison: [UInt8]? = getenv("FATHOM_POISON").map { Array(String(cString: $0).utf8) }
    #endif
}
