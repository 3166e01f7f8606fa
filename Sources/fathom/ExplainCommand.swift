import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import Glibc
import TelemetryModel

/// `fathom explain`: the result of each stage for one message.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show the result of each stage for one payload, or why it is rejected.",
        discussion: """
            Reads the payload from standard input, as the broker would deliver it on the topic, to a gateway without \
            earlier state. Without --config every device is known and allowed everything, and nobody has consented to health \
            data. Exit status 1 when the message is rejected or ignored. A frame in Protocol Buffers is shown as JSON.

            fathom explain --config config/fathom.yaml --topic wearables/ultra-1/in/submersion < frame.json
            """)

    @Option(help: "The topic that the message came on.")
    var topic: String

    @Flag(help: "The message was delivered with the retain flag.")
    var retain = false

    @Option(help: ArgumentHelp("The MQTT 5 content type, such as application/json or application/protobuf.", valueName: "type"))
    var contentType: String?

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let loaded = try options.loadOrExit(connects: false, searches: false)
        let (settings, policy) = try options.replaySettings(loaded)
        let message = InboundMessage(
            topic: topic, payload: try Self.standardInput(limit: settings.decode.maximumPayloadBytes), retain: retain,
            contentType: contentType)
        let clock = SystemGatewayClock()
        let explanation = Explanation(message, settings: settings, policy: policy, at: clock.now)
        for line in explanation.lines { Terminal.line(line) }
        if !explanation.isAccepted { throw ExitCode.failure }
    }

    /// Standard input, up to one byte more than any payload may have.
    private static func standardInput(limit: Int) throws(GatewayError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = OpenFile.read(STDIN_FILENO, into: &chunk)
            guard count >= 0 else { throw .system("standard input") }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
