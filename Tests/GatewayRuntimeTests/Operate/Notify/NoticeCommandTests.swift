import LocalBroker
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("The command for an alarm")
struct NoticeCommandTests {
    @Test("It has ended once its shell has, though what the shell started prints on without a pause")
    func endless() async throws {
        let command = try NoticeCommand("echo told; yes & exit 0", input: [], environment: [:], waking: WakeUp())
        defer { command.signal(9) }
        try await eventually("it has ended") { command.ending != nil }
        #expect(command.ending == .exited(0))
    }

    @Test("What it prints before its end is read to the end")
    func output() async throws {
        let command = try NoticeCommand("yes | head -c 50000; echo last; exit 3", input: [], environment: [:], waking: WakeUp())
        try await eventually("it has ended") { command.ending != nil }
        #expect(command.ending == .exited(3) && command.output.hasSuffix("last\n"))
    }
}
