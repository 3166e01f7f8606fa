import ArgumentParser
import GatewayRuntime

/// `fathom deadletters show`: one frame as a line of a recording.
struct ShowDeadLetter: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print one frame as the line of a recording.",
        discussion: """
            The payload is as it came; one that is no JSON object on one line, or holds characters that a terminal could act on, \
            is in base64. 'fathom replay' reads it.
            """)

    @Argument(help: "The frame's name, from 'list'.")
    var name: String

    @Flag(help: "Print a frame in Protocol Buffers as JSON.")
    var json = false

    @OptionGroup var deadLetters: DeadLetterOptions

    func run() throws {
        let (loaded, folder) = try deadLetters.load()
        if let number = OutboundLetter.number(in: name) {
            guard let letter = try deadLetters.outbound(loaded)?.letter(number) else {
                throw GatewayError("no dead letter is called \(name)")
            }
            Terminal.output(letter.recorded.printableLine + [UInt8(ascii: "\n")])
            return
        }
        let frame = try folder.read(name)
        Terminal.output((json ? frame.inJSON : frame).printableLine + [UInt8(ascii: "\n")])
    }
}
