// An adapter for CocoaMQTT 2.x with MQTT 5. Not compiled by our tests.
import CocoaMQTT
import Foundation
import WearableFrames

/// Publishes frames by a `CocoaMQTT5` client, and passes on what its delegate reports.
///
/// Set `willMessage` of the client to `FrameBuilder.will`, and `autoReconnect` to true. Its delegate is called on the main queue, which is
/// the default of `delegateQueue`.
@MainActor
final class CocoaMQTTPublisher: NSObject, FramePublisher, @preconcurrency CocoaMQTT5Delegate {
    enum Report: Sendable {
        case connected, disconnected
        case message([UInt8], isRetained: Bool)
    }

    private struct ConnectionLost: Error {}

    /// What the delegate reported, in order: read it in a task, and pass it to the `FrameSender`.
    let reports: AsyncStream<Report>

    private let report: AsyncStream<Report>.Continuation
    private let client: CocoaMQTT5
    /// Who waits for the PUBACK of a message, by its identifier.
    private var waiting: [UInt16: (index: Int, continuation: CheckedContinuation<Void, any Error>)] = [:]

    init(_ client: CocoaMQTT5) {
        self.client = client
        (reports, report) = AsyncStream.makeStream()
        super.init()
        client.delegate = self
    }

    func publish(_ frames: [Frame]) async throws {
        for (index, frame) in frames.enumerated() {
            let message = CocoaMQTT5Message(topic: frame.topic, payload: frame.payload, qos: .qos1, retained: frame.retain)
            let properties = MqttPublishProperties()
            properties.contentType = frame.contentType
            try await withCheckedThrowingContinuation { continuation in
                let identifier = client.publish(message, DUP: false, retained: frame.retain, properties: properties)
                guard identifier > 0 else { return continuation.resume(throwing: ConnectionLost()) }
                waiting[UInt16(identifier)] = (index, continuation)
            }
        }
    }

    func mqtt5(_ client: CocoaMQTT5, didPublishAck identifier: UInt16, pubAckData: MqttDecodePubAck?) {
        guard let (index, continuation) = waiting.removeValue(forKey: identifier) else { return }
        // A PUBACK from 0x80 on says that the broker has not taken the message. It names no reason where all is well.
        if let reason = pubAckData?.reasonCode, reason.rawValue >= 0x80 {
            continuation.resume(throwing: FrameRefusal(at: index))
        } else {
            continuation.resume()
        }
    }

    func mqtt5(_ client: CocoaMQTT5, didConnectAck ack: CocoaMQTTCONNACKReasonCode, connAckData: MqttDecodeConnAck?) {
        if ack == .success { report.yield(.connected) }
    }

    func mqtt5DidDisconnect(_ client: CocoaMQTT5, withError error: (any Error)?) {
        for message in waiting.values { message.continuation.resume(throwing: ConnectionLost()) }
        waiting = [:]
        report.yield(.disconnected)
    }

    func mqtt5(_ client: CocoaMQTT5, didReceiveMessage message: CocoaMQTT5Message, id: UInt16, publishData: MqttDecodePublish?) {
        report.yield(.message(message.payload, isRetained: message.retained))
    }

    // The other methods of the delegate have nothing to do.
    func mqtt5(_ client: CocoaMQTT5, didPublishMessage message: CocoaMQTT5Message, id: UInt16) {}
    func mqtt5(_ client: CocoaMQTT5, didPublishRec id: UInt16, pubRecData: MqttDecodePubRec?) {}
    func mqtt5(_ client: CocoaMQTT5, didSubscribeTopics success: NSDictionary, failed: [String], subAckData: MqttDecodeSubAck?) {}
    func mqtt5(_ client: CocoaMQTT5, didUnsubscribeTopics topics: [String], unsubAckData: MqttDecodeUnsubAck?) {}
    func mqtt5(_ client: CocoaMQTT5, didReceiveDisconnectReasonCode code: CocoaMQTTDISCONNECTReasonCode) {}
    func mqtt5(_ client: CocoaMQTT5, didReceiveAuthReasonCode code: CocoaMQTTAUTHReasonCode) {}
    func mqtt5DidPing(_ client: CocoaMQTT5) {}
    func mqtt5DidReceivePong(_ client: CocoaMQTT5) {}
}
