import ArgumentParser
import GatewayRuntime

extension CheckCommand {
    /// Tries the broker and the state directory, and prints what was found.
    func tryConnections(_ loaded: ConfigurationOptions.Loaded) async throws {
        let findings = await ConnectionCheck(configuration: loaded.configuration, producers: loaded.producers).run()
        for finding in findings { Terminal.line("\(finding)") }
        let problems = findings.count { $0.verdict == .problem }
        guard problems == 0 else {
            Terminal.line("\(problems) problem\(problems == 1 ? "" : "s")")
            throw ExitCode.failure
        }
    }
}
