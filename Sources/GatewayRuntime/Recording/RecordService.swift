package import Mosquitto
import GatewayPipeline
import ServiceLifecycle
import TelemetryModel

/// Writes every message of a connection to a recording, and acknowledges what is written.
package struct RecordService: Service {
    private let client: MosquittoClient
    private let file: OutputFile
    private let clock: any GatewayClock
    private let inJSON: Bool

    /// A recorder of what `client` is subscribed to; with `inJSON` frames in Protocol Buffers are written as JSON.
    package init(client: MosquittoClient, file: OutputFile, clock: any GatewayClock, inJSON: Bool = false) {
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
                            try file.write((inJSON ? recorded.inJSON : recorded).line(splitter) + [UInt8(ascii: "\n")])
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
