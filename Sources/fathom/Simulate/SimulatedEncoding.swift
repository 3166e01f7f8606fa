import ArgumentParser
import FleetSimulator
import GatewayPipeline
import ProtobufFrames

/// How simulated devices encode their frames.
enum SimulatedEncoding: String, ExpressibleByArgument, CaseIterable {
    /// JSON.
    case json
    /// Protocol Buffers with floats.
    case protobuf
    /// Protocol Buffers with columns as scaled integers.
    case protobufPacked = "protobuf-packed"
}

/// Turns what simulated devices send into messages of an encoding.
struct SimulatedMessageEncoder {
    private let encoder: ProtobufFrameEncoder?

    /// An encoder for `encoding`.
    init(_ encoding: SimulatedEncoding) {
        switch encoding {
        case .json: encoder = nil
        case .protobuf: encoder = ProtobufFrameEncoder(.floats)
        case .protobufPacked: encoder = ProtobufFrameEncoder(.packed)
        }
    }

    /// The message as it is published below `root`. A frame that the encoder cannot read stays JSON.
    func encode(_ message: SimulatedMessage, root: String) -> InboundMessage {
        var result = InboundMessage(
            topic: message.topic(root: root), payload: message.payload, retain: message.retain, contentType: "application/json")
        guard let encoder, let payload = try? encoder.encode(json: message.payload, stream: message.stream)
        else { return result }
        result.payload = payload
        result.contentType = ProtobufFrameEncoder.contentType
        return result
    }
}
