package import Mosquitto
package import GatewayPipeline
import Glibc
import ServiceLifecycle
import TelemetryModel

/// Writes every message of a connection to a recording, and acknowledges what is written.
package struct RecordService: Service {
    private let client: MosquittoClient
    private let file: RecordingFile
    private let clock: any GatewayClock
    private let inJSON: Bool

    /// A recorder of what `client` is subscribed to; with `inJSON` frames in Protocol Buffers are written as JSON.
    package init(client: MosquittoClient, file: RecordingFile, clock: any GatewayClock, inJSON: Bool = false) {
        self.client = client
        self.file = file
        self.clock = clock
        self.inJSON = inJSON
    }

    /// Records until a stop is requested; throws when the file cannot be written.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await client.run {
                    let splitter = JSONSplitter()
                    return ImmediateHandler { messages in
                        let at = clock.now.unix.seconds
                        for message in messages {
                            let recorded = RecordedMessage(at: at, message: InboundMessage(message))
                            try file.append(inJSON ? recorded.inJSON : recorded, splitter)
                        }
                        try file.flush()
                    }
                }
            }
            group.addTask {
                try? await gracefulShutdown()
                await client.stop()
            }
            try await group.waitForAllOrFirstError()
        }
    }
}

/// A recording that is being written.
package final class RecordingFile: Sendable {
    private let path: String
    /// Owned: closed with the recording. The C library locks it for every call.
    nonisolated(unsafe) private let file: UnsafeMutablePointer<FILE>

    /// Creates the file at `path`, for its owner alone, or writes to standard output for `-`.
    package init(path: String) throws(GatewayError) {
        let descriptor = path == "-" ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else { throw .system(path) }
        self.path = path
        self.file = file
    }

    deinit { fclose(file) }

    /// Adds one line; `splitter` parses its payload.
    package func append(_ message: RecordedMessage, _ splitter: JSONSplitter) throws(GatewayError) {
        let line = message.line(splitter) + [UInt8(ascii: "\n")]
        if fwrite(line, 1, line.count, file) != line.count { throw failure }
    }

    /// Flushes the added lines to the system.
    package func flush() throws(GatewayError) {
        if fflush(file) != 0 { throw failure }
    }

    private var failure: GatewayError { GatewayError("\(path): \(String(cString: strerror(errno)))") }
}
