import Testing

@testable import GatewayRuntime

@Suite("What the service manager sets")
struct WatchdogTests {
    @Test(
        "a time of the watchdog that is none is ignored, and a short one is lengthened",
        arguments: [
            ("400000", 0.4), ("0", nil), ("-1", nil), ("nan", nil), ("inf", nil), ("1e400", nil), ("", nil), ("x", nil),
            ("18446744073709551616", nil), ("1", 0.1), ("18446744073709551615", 18_446_744_073_709.552),
        ] as [(String, Double?)])
    func watchdog(text: String, seconds: Double?) throws {
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": text]))
        #expect(manager.watchdogSeconds == seconds)
        // Half of it is an interval at which beats are due.
        if let seconds = manager.watchdogSeconds { #expect((5.0).nextMultiple(of: min(1, seconds / 2)) > 5) }
    }
}
