import Foundation
import BrokerTestSupport
import GatewayTestSupport
import LocalBroker
import Testing

/// The program ends itself after its longest time to stop, and says so.
@Suite("The whole program ends after SIGTERM")
struct StopTests {
    private func start(
        _ port: UInt16, _ arguments: String..., state: String? = nil, prelude: String? = nil
    ) throws -> FathomProcess {
        let settings = arguments + (state.map { ["gateway.stateDirectory=\($0)"] } ?? [])
        return try .gateway(
            "stopped", on: port, ["mqtt.reconnect.maximumSeconds=1"] + settings, options: ["--log-level", "debug"],
            prelude: prelude)
    }

    @Test("without a broker, from the start")
    func neverConnected() async throws {
        let gateway = try start(try LoopbackPort.free())
        try await eventually("the gateway tries to connect") { gateway.errors.contains("disconnected") }
        let outcome = try await gateway.terminate()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("with a broker that accepts the connection and never answers")
    func silent() async throws {
        let broker = try ScriptedBroker()
        let gateway = try start(broker.port)
        let connection = try await broker.accept()
        try await connection.expect(.connect)
        let outcome = try await gateway.terminate()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("with a broker that went away, or hangs, while frames wait for their commit", arguments: [true, false])
    func lost(hangs: Bool) async throws {
        let directory = try TemporaryDirectory()
        let broker = try await BrokerProcess()
        let gateway = try start(broker.port, state: directory.path("state"))
        try await eventually("every lane reads") { gateway.errors.components(separatedBy: " connected").count > 4 }
        let fleet = try FathomProcess(["simulate", "--set", "mqtt.port=\(broker.port)", "--devices", "8", "--seconds", "30"])
        try await eventually("frames arrive") { broker.log.contains("/in/batched-imu") }
        if hangs {
            broker.freeze()
        } else {
            broker.kill()
            try await eventually("the gateway is without a broker") { gateway.errors.contains("Connection refused") }
        }
        fleet.send(SIGKILL)
        let outcome = try await gateway.terminate()
        if hangs { broker.thaw() }
        #expect(outcome.status == 0 || outcome.errors.contains("did not end in time"), "\(outcome.errors)")
    }

    @Test("by itself, with the reason, where another gateway of its name runs on the broker")
    func sameName() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await BrokerProcess()
        let first = try start(broker.port, state: directory.path("first"))
        try await eventually("every lane reads") { first.errors.components(separatedBy: " connected").count > 4 }
        let second = try start(broker.port, state: directory.path("second"))
        let outcome = try await second.outcome()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("another gateway called stopped is running on this broker"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("did not end in time"))
        _ = try await first.terminate()
    }

    @Test("with a disk that is full")
    func fullDisk() async throws {
        let directory = try TemporaryDirectory()
        let broker = try await BrokerProcess()
        // No file may be longer than 400 KiB; the signal for that is ignored, so that writing fails.
        let gateway = try start(
            broker.port, state: directory.path("state"), prelude: "trap '' XFSZ && ulimit -f 400")
        try await eventually("every lane reads") { gateway.errors.components(separatedBy: " connected").count > 4 }
        let fleet = try FathomProcess(["simulate", "--set", "mqtt.port=\(broker.port)", "--devices", "8", "--seconds", "30"])
        try await eventually("checkpoints cannot be written") {
            gateway.errors.contains("frames released unacknowledged")
        }
        let outcome = try await gateway.terminate()
        fleet.send(SIGKILL)
        #expect(outcome.status == 0, "\(outcome.errors.suffix(2_000))")
    }

    @Test("with a wrong password of the receiving account; the log and the status name the setting")
    func wrongPassword() async throws {
        let directory = try TemporaryDirectory()
        let passwords = directory.path("passwords")
        try directory.write("", to: "passwords")
        try BrokerPasswords.add("reader", "right", to: passwords)
        try BrokerPasswords.add("writer", "right", to: passwords)
        let broker = try await BrokerProcess(settings: ["allow_anonymous false", "password_file \(passwords)"])
        let http = try LoopbackPort.free()
        let gateway = try start(
            broker.port, "lanes.safety.account.username=reader", "lanes.safety.account.password=wrong",
            "mqtt.out.username=writer", "mqtt.out.password=right", "http.port=\(http)")
        try await eventually("the refusal is logged with its setting") {
            gateway.errors.contains("lanes.safety.account.password is not the password of reader")
        }
        let health = try await FathomProcess.run(["health", "--ready", "--set", "http.port=\(http)"])
        let metrics = await LoopbackHTTP.get("/metrics", http).body
        #expect(metrics.contains("fathom_mqtt_connected{connection=\"safety\"} 0\n"), "\(metrics)")
        #expect(health.status == 1 && health.output.contains("lanes.safety.account.password"), "\(health.output)")
        let outcome = try await gateway.terminate()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("debug prints no configuration")
    func debug() async throws {
        let gateway = try start(try LoopbackPort.free())
        try await eventually("the gateway tries to connect") { gateway.errors.contains("disconnected") }
        let errors = try await gateway.terminate().errors
        #expect(errors.contains(" debug "))
        #expect(!errors.contains("hysteresisMeters") && !errors.contains("sessionExpirySeconds"), "\(errors.prefix(4_000))")
    }
}
