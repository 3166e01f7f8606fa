import GatewayConfiguration
import GatewayTestSupport
import LocalBroker
import Logging
import Mosquitto
import Testing
import WearableFrames

@Suite("A device that keeps its frames until they are committed", .timeLimit(.minutes(5)))
struct DeviceDeliveryTests {
    @Test func `Loses none when the broker is killed with everything that it held`() async throws {
        let broker = try await BrokerProcess()
        let directory = try TemporaryDirectory()
        try await GatewayFixture.run(
            configure: { configuration in
                configuration.gateway.publishCommitted = true
                configuration.gateway.stateDirectory = directory.path("state")
                configuration.gateway.statusSeconds = 0.1
                // The device is back before the gateway: the broker has nobody to keep its frames for.
                configuration.mqtt.reconnect.initialSeconds = 1
                // What the gateway gets first, if it comes back while the device sends, waits for the rest. On a slow machine that takes longer
                // than the second for which a depth waits by default.
                (configuration.limits.reorderSeconds, configuration.limits.submersionReorderSeconds) = (60, 60)
            }, broker: broker
        ) { fixture in
            var frames = FrameBuilder(device: DeviceID(cleaning: "d1"))
            let outbox = try Outbox(folder: directory.path("outbox"))
            try await Device.run(broker, outbox: outbox, will: frames.will) { sender in
                func measure(_ depths: ClosedRange<Int>) async throws {
                    for depth in depths {
                        let now = DeviceInstant.now
                        let readings = SubmersionReadings(measurements: [
                            .init(time: .timestamp(now.uptime), depth: Double(depth) / 100)
                        ])
                        try await sender.send(try frames.submersion(readings, at: now))
                    }
                }
                try await sender.send(try frames.status(DeviceStatus(state: .online)))
                try await measure(1...20)
                try await eventually("the first frames are committed") { await sender.outbox.isEmpty }

                try await measure(21...60)
                broker.kill()
                try broker.deleteState()
                try await measure(61...120)
                #expect(await !sender.outbox.isEmpty)
                try await broker.start()
                try await measure(121...140)
                try await eventually("every frame is committed") { await sender.outbox.isEmpty }
                #expect(await sender.outbox.dropped == 0)
            }
            // 140 measurements and the status.
            try await eventually("the status counts them") {
                (counter("processed", fixture) ?? 0) + (counter("late", fixture) ?? 0) >= 141
            }
            #expect(counter("processed", fixture) == 141)
            #expect(counter("missingFrames", fixture) == 0)
            #expect(counter("late", fixture) == 0)
        }
        let published = broker.log.split(separator: "\n").count { $0.contains("Received PUBLISH from d1 ") }
        #expect(published > 141, "nothing was sent again: the broker lost nothing")
    }

    private func counter(_ name: String, _ fixture: GatewayFixture) -> Int? { fixture.counters[name] as? Int }
}

/// A device's connection: it publishes what a sender keeps, and passes reports of what is committed to it.
private enum Device {
    static func run(
        _ broker: BrokerProcess, outbox: Outbox, will: LastWill, _ body: (FrameSender) async throws -> Void
    ) async throws {
        var connection = GatewayFixture.connection(broker, "d1")
        connection.subscriptions = [.init("wearables/d1/out/committed/+")]
        connection.will = MQTTMessage(
            topic: will.topic, payload: will.payload, retain: will.retain, contentType: will.contentType)
        let client = MosquittoClient(
            configuration: connection, logger: Logger(label: "device") { _ in SwiftLogNoOpLogHandler() })
        let sender = FrameSender(outbox: outbox, publisher: client)
        let (reports, report) = AsyncStream.makeStream(of: MQTTMessage.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run { ImmediateHandler { $0.forEach { report.yield($0) } } } }
            group.addTask { try await sender.run() }
            group.addTask {
                for await message in reports { try await sender.acknowledge(message.payload, isRetained: message.retain) }
            }
            group.addTask {
                for await state in client.stateChanges() {
                    if case .connected = state { await sender.connected() } else { await sender.disconnected() }
                }
            }
            defer { group.cancelAll() }
            try await body(sender)
            await client.stop()
        }
    }
}

extension MosquittoClient: FramePublisher {
    /// Returns when the broker has accepted all of `frames`, over reconnections.
    func publish(_ frames: [Frame]) async throws {
        try await settled(
            enqueue(
                frames.map { frame in
                    MQTTMessage(
                        topic: frame.topic, payload: frame.payload, retain: frame.retain, contentType: frame.contentType)
                }))
    }
}
