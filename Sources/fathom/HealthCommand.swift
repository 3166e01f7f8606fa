import ArgumentParser
import GatewayConfiguration
import GatewayRuntime

/// `fathom health`: whether the gateway on this machine is well.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask the gateway on this machine whether it is alive, or with --ready whether frames flow.",
        discussion: """
            Asks /healthz or /readyz at http.address and http.port of the configuration, and prints each problem as a line. Exit status 0 \
            without problems, 1 with any, or when the gateway does not respond within 5 s.
            """)

    @Flag(help: "Ask whether the broker is connected, heartbeats return and checkpoints can be written.")
    var ready = false

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        var (configuration, problems) = options.loadSettings()
        // The gateway's credentials may be readable for its user only.
        problems.removeAll(where: \.concernsConnectionsOnly)
        guard problems.isEmpty else {
            for problem in problems { Terminal.error("\(problem)") }
            throw ExitCode.failure
        }
        guard let port = configuration.http.port, port > 0 else {
            throw Terminal.failure("http.port names no port: the gateway cannot be asked")
        }
        let path = ready ? "/readyz" : "/healthz"
        let answer: HealthQuery.Answer
        do {
            answer = try HealthQuery.ask(path, of: configuration.http.address, port: port)
        } catch {
            throw Terminal.failure("no answer from the gateway: \(error)")
        }
        for problem in answer.problems {
            Terminal.line("\(problem.warning == true ? "warning: " : "")\(problem.check): \(problem.problem)")
        }
        guard answer.isWell else { throw ExitCode.failure }
        Terminal.line(ready ? "ready" : "alive")
    }
}
