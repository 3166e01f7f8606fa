import ArgumentParser
import GatewayPipeline
import GatewayRuntime
import Glibc

/// `fathom deadletters list`: a line for each frame.
struct ListDeadLetters: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what was set aside, oldest first.",
        discussion: """
            A line each: name, when it was set aside, lane, device/stream (or the topic, where it is of no device), bytes of \
            payload. Messages that the broker refuses follow: name, when it was refused, 'out', topic, bytes of payload, reason. \
            Characters that cannot be printed are escaped. Exit status 1 if a file or a message cannot be read.
            """)

    @OptionGroup var deadLetters: DeadLetterOptions

    func run() throws {
        let (loaded, folder) = try deadLetters.load()
        let configuration = loaded.configuration
        let layout = try PipelineSettings(configuration).topics
        var isDamaged = false
        for name in try folder.names() {
            do throws(GatewayError) {
                let recorded = try folder.read(name)
                let fields = [
                    name, Self.utc(recorded.at), DeadLetterFolder.lane(of: name),
                    Self.subject(recorded.message.topic, layout),
                    "\(recorded.message.payload.count) bytes",
                ]
                Terminal.line(fields.joined(separator: "  "))
            } catch {
                isDamaged = true
                Terminal.error("\(error)")
            }
        }
        do {
            try deadLetters.outbound(loaded)?.forEach { number, letter in
                guard let letter else {
                    isDamaged = true
                    return Terminal.error("out-\(number) is damaged")
                }
                let fields = [
                    letter.name, Self.utc(letter.at), "out", letter.recorded.message.topic,
                    "\(letter.recorded.message.payload.count) bytes",
                    letter.refusal.rawValue,
                ]
                Terminal.line(fields.joined(separator: "  "))
            }
        } catch {
            isDamaged = true
            Terminal.error("the outbound dead letters: \(error)")
        }
        if isDamaged { throw ExitCode.failure }
    }

    private static func subject(_ topic: String, _ layout: TopicLayout) -> String {
        (try? InboundTopic(topic, layout: layout)).map { "\($0.device)/\($0.stream)" } ?? topic
    }

    /// An instant in unix seconds as ISO 8601 has it.
    private static func utc(_ unix: Double) -> String {
        var seconds = time_t(exactly: unix.rounded(.down)) ?? 0
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
