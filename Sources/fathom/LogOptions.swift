public import ArgumentParser
import GatewayConfiguration
import JSONText
public import Logging

/// The options of every command that logs what the gateway logs; they override the settings.
struct LogOptions: ParsableArguments {
    @Option(help: "The least severe lines that are logged, on standard error (setting log.level, FATHOM_LOG_LEVEL).")
    var logLevel: Logger.Level?

    @Option(help: "The form of a line, text or json (setting log.format, FATHOM_LOG_FORMAT).")
    var logFormat: GatewayConfiguration.Log.Format?

    /// The logger of these options and of `settings`.
    func logger(_ settings: GatewayConfiguration.Log) -> Logger {
        GatewayLogger.make(settings, level: logLevel, format: logFormat)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension GatewayConfiguration.Log.Format: ExpressibleByArgument {}

/// Where the gateway's log goes.
enum GatewayLogger {
    /// A logger of `settings`, where the command line does not say otherwise. Of a program that says itself what it does, nothing below a
    /// notice is logged by the settings, as with `least`.
    static func make(
        _ settings: GatewayConfiguration.Log, level: Logger.Level? = nil, format: GatewayConfiguration.Log.Format? = nil,
        least: Logger.Level = .trace
    ) -> Logger {
        make(
            level: level ?? max(least, Logger.Level(rawValue: settings.level.rawValue) ?? .info),
            format: format ?? settings.format)
    }

    /// A logger on standard error, so that standard output holds only the output of commands.
    static func make(level: Logger.Level, format: GatewayConfiguration.Log.Format = .text) -> Logger {
        var logger = Logger(label: "fathom") { _ in
            switch format {
            case .text: LineLogHandler(form: LineLogHandler.text)
            case .json: LineLogHandler(form: LineLogHandler.json)
            }
        }
        logger.logLevel = level
        return logger
    }
}
