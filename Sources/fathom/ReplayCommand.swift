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
            Without --config every device is known and allowed everything, and nobody has consented to health data. An \
            invalid line is reported on standard error and skipped; the exit status is then 1.
            """)

    @Argument(help: "Recordings; '-' is standard input.")
    var files: [String]

    @Option(help: ArgumentHelp("How long time runs on after the last line, for timers that are due later.", valueName: "seconds"))
    var idle = 0.0

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        try Terminal.requireOneInput(files)
        guard (0...1e9).contains(idle) else { throw ValidationError("--idle must be a number of seconds from 0 on") }
    }

    func run() throws {
        let replay = try options.replay(options.loadOrExit(connects: false, searches: false))
        var badLines = 0
        do throws(GatewayError) {
            try replay.run(files, idleSeconds: idle) { problem in
                badLines += 1
                Terminal.error(problem)
            }
        } catch {
            throw Terminal.failure("\(error)")
        }
        if badLines > 0 { throw ExitCode.failure }
    }
}

extension ConfigurationOptions {
    /// The pipeline of a configuration, its output on standard output.
    func replay(_ loaded: Loaded) throws -> Replay {
        let (settings, policy) = try replaySettings(loaded)
        return Replay(settings: settings, policy: policy) { line in
            Terminal.output(line.printableJSON + [UInt8(ascii: "\n")])
        }
    }

    /// What a replay needs of a configuration. Without a registry all devices are known.
    func replaySettings(_ loaded: Loaded) throws -> (PipelineSettings, AccessPolicy) {
        let configuration = loaded.configuration
        var policy = AccessPolicy(loaded.registry, of: configuration.gateway.partition)
        if ConfigurationPlace(config).named == nil, configuration.registry.file == nil,
            configuration.registry.unknownDevices == nil
        {
            policy.unknown = .everything
        }
        return (try PipelineSettings(configuration, producers: loaded.producers), policy)
    }
}
