import Logging
import ServiceLifecycle
import UnixSignals

/// Runs services until one of them ends or fails, or a signal ends the program; the others are shut down then. With `andHangup` the end of
/// the terminal is such a signal.
func runUntilSignal(_ services: [any Service], andHangup: Bool = false, logger: Logger) async throws {
    let signals: [UnixSignal] = andHangup ? [.sigterm, .sigint, .sighup] : [.sigterm, .sigint]
    try await ServiceGroup(
        configuration: .init(
            services: services.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: signals, logger: logger)
    ).run()
}
