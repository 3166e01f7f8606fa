// An adapter for mqtt-nio 2.x. Not compiled by our tests.
import MQTTNIO
import NIOCore
import WearableFrames

/// Publishes frames by a connected client of mqtt-nio.
struct MQTTNIOPublisher: FramePublisher {
    let client: MQTTClient

    func publish(_ frames: [Frame]) async throws {
        for (index, frame) in frames.enumerated() {
            do {
                // Returns with the PUBACK; throws when the connection is lost, or with a reason code of 0x80 or more.
                _ = try await client.v5.publish(
                    to: frame.topic, payload: ByteBuffer(bytes: frame.payload), qos: .atLeastOnce, retain: frame.retain,
                    properties: [.contentType(frame.contentType)])
            } catch MQTTError.reasonError {
                throw FrameRefusal(at: index)
            }
        }
    }
}

/// Connects, and keeps `sender` informed, until the connection ends. Call it again, after a pause, to connect again.
///
/// `will` is the builder's `will`, `reports` is `"\(frames.root)/\(frames.device)/out/committed/+"`, and `online` makes the frame
/// `frames.status(DeviceStatus(state: .online))`: the builder stays with the app, which makes other frames meanwhile.
func connect(
    _ client: MQTTClient, _ sender: FrameSender, will: LastWill, reports: String, online: () async throws -> Frame
) async throws {
    _ = try await client.v5.connect(
        cleanStart: true,
        will: (
            topicName: will.topic, payload: ByteBuffer(bytes: will.payload), qos: .atLeastOnce, retain: will.retain,
            properties: [.contentType(will.contentType)]
        ))
    let listener = client.createPublishListener()
    _ = try await client.v5.subscribe(to: [.init(topicFilter: reports, qos: .atLeastOnce)])
    try await sender.send(try await online())
    await sender.connected()
    do {
        // Ends when the connection does.
        for await result in listener {
            guard case .success(let message) = result else { break }
            try await sender.acknowledge(Array(message.payload.readableBytesView), isRetained: message.retain)
        }
    } catch {
        await sender.disconnected()
        throw error
    }
    await sender.disconnected()
}
