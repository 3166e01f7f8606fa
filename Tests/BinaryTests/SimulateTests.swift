import Foundation
import LocalBroker
import Testing

@Suite("fathom simulate with a broker")
struct SimulateTests {
    @Test("A stop leaves no device online, and none in a workout")
    func stopped() async throws {
        let broker = try await BrokerProcess()
        let topics = ["-p", "\(broker.port)", "-t", "wearables/+/in/status", "-t", "wearables/+/in/workout"]
        let live = try Tool("mosquitto_sub", topics)
        let fleet = try FathomProcess(
            ["simulate", "--kinds", "lifter,diver", "--count", "2", "--set", "mqtt.port=\(broker.port)"])
        try await eventually("both are online, and one is in a workout") {
            let output = live.output
            return output.components(separatedBy: #""state":"online""#).count == 3 && output.contains(#""state":"running""#)
        }
        let outcome = try await fleet.terminate()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let retained = try Tool("mosquitto_sub", topics + ["-C", "3", "-W", "10"]).outcome().output
        #expect(retained.components(separatedBy: #""state":"offline""#).count == 3, "\(retained)")
        #expect(retained.contains(#""state":"ended""#), "\(retained)")
    }

    @Test("It ends with an error where no broker accepts what is due")
    func unaccepted() async throws {
        let port = try LoopbackPort.free()
        let outcome = try await FathomProcess.run(
            ["simulate", "--count", "1", "--duration", "0.1", "--set", "mqtt.port=\(port)"])
        #expect(outcome.status == 1 && outcome.errors.contains("has accepted nothing for 10 s"), "\(outcome)")
    }
}
