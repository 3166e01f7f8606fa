import BrokerTestSupport
import Foundation
import LocalBroker
import Testing

@Suite("What an operator reads in the log and in the status")
struct OperatorTests {
    @Test("run without a configuration says that no device is registered, and why")
    func noConfiguration() async throws {
        let gateway = try FathomProcess(["run", "--set", "mqtt.port=1"])
        try await eventually("the warning") { gateway.errors.contains("no device is registered") }
        let errors = try await gateway.terminate().errors
        #expect(errors.contains("registry.file is not set"), "\(errors)")
    }

    @Test("--username alone names an account without a password, not with that of the configured one", arguments: [false, true])
    func otherAccount(isConfigured: Bool) async throws {
        let broker = try ScriptedBroker()
        let values = ["mqtt.port=\(broker.port)", "record.account.username=recorder", "record.account.password=secret"]
        let recorder = try FathomProcess(
            ["record", "--username", isConfigured ? "recorder" : "other"] + values.flatMap { ["--set", $0] })
        let connect = try await broker.accept().expect(.connect)
        // Behind the protocol's name and version: whether there are a name and a password.
        #expect(connect.body[7] & 0b1100_0000 == (isConfigured ? 0b1100_0000 : 0b1000_0000))
        recorder.send(SIGKILL)
    }

    @Test("A rejected frame is a line of the log; the limit of packets is in the log at the start, and in the status")
    func rejected() async throws {
        let broker = try await BrokerProcess()
        let gateway = try FathomProcess(
            ["run", "--set", "mqtt.port=\(broker.port)", "--set", "registry.unknownDevices=allow"])
        let address = ["-p", "\(broker.port)"]
        let status = try Tool("mosquitto_sub", address + ["-t", "fathom/gateway/status"])
        try await eventually("the status") { status.output.contains(#""state":"online""#) }
        #expect(status.output.contains(#""maximumPacketBytes":300000"#))
        try await eventually("a line for the frame") {
            _ = try Tool("mosquitto_pub", address + ["-q", "1", "-t", "wearables/d1/in/submersion", "-m", "{"]).outcome()
            return gateway.errors.contains("malformedJSON")
        }
        let lines = try await gateway.terminate().errors.split(separator: "\n")
        #expect(lines.contains { $0.contains(" info ") && $0.contains("rejected") && $0.contains("d1") }, "\(lines)")
        #expect(lines.contains { $0.contains("mqtt.maximumPacketBytes") && $0.contains("300000") }, "\(lines)")
    }
}
