import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewayRuntime
import TelemetryModel

/// `fathom replay`: recorded frames through the same pipeline, with no broker.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run recordings through the pipeline and print what would have been published.",
        discussion: """
            A recording is NDJSON, a line per message; several are merged by 'at', which is the gateway's clock here. \
            Without --config every device is known and allowed everything. A bad line is told on standard error and \
            skipped; the exit status is then 1.
            """)

    @Argument(help: "Recordings; '-' is standard input.")
    var files: [String]

    @Option(help: ArgumentHelp("How long time runs on after the last line, for timers that are due later.", valueName: "seconds"))
    var idle = 0.0

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        guard (0...1e9).contains(idle) else { throw ValidationError("--idle must be a number of seconds from 0 on") }
    }

    func run() throws {
        let loaded = try options.loadOrExit()
        let configuration = loaded.configuration
        var policy = AccessPolicy(loaded.registry)
        if options.config == nil, configuration.registry.file == nil, configuration.registry.unknownDevices == nil {
            policy.unknown = .everything
        }
        var replay = Replay(settings: try PipelineSettings(configuration, producers: loaded.producers), policy: policy) { line in
            if !Terminal.write(line + [UInt8(ascii: "\n")]) { Self.exit(withError: ExitCode.failure) }
        }
        var badLines = 0
        do throws(GatewayError) {
            try replay.run(files, idleSeconds: idle) { problem in
                badLines += 1
                Terminal.error(problem)
            }
        } catch {
            Terminal.error("\(error)")
            throw ExitCode.failure
        }
        if badLines > 0 { throw ExitCode.failure }
    }
}
