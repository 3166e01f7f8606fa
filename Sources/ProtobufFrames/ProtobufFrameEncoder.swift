package import GatewayPipeline
import SwiftProtobuf
package import TelemetryModel
import WearableProtobuf

/// Writes frames of the wire contract in Protocol Buffers, as a device app does that speaks them.
///
/// Keeps its buffers between frames; not to be shared between threads.
package struct ProtobufFrameEncoder {
    /// How columns of what sensors measure are written.
    package enum Columns: Sendable, CaseIterable {
        /// As floats.
        case floats
        /// As whole multiples of 0.5 mG and 0.5 mrad/s, each the difference from the one before.
        case packed
    }

    /// The content type of what is written.
    package static let contentType = "application/protobuf"

    private let columns: Columns
    private let decoder = NativeFrameDecoder()

    /// An encoder that writes columns so.
    package init(_ columns: Columns) { self.columns = columns }

    /// Writes the frame of a JSON payload that came on `stream`. Throws the rejection of a payload that is no valid frame.
    ///
    /// What the gateway does not use is left out: unknown keys and the magnetic field of fused motion. Times are to the microsecond from the first of
    /// their series.
    package func encode(json payload: [UInt8], stream: StreamName) throws -> [UInt8] {
        let message = InboundMessage(topic: "", payload: payload, contentType: "application/json")
        let decoded = try decoder.decode(
            message, stream: stream, limits: DecodeLimits(), received: GatewayTime(unix: UnixTime(0), monotonic: 0))
        if case .lastWill(let body) = decoded.content { return encode(decoded.header, body, isLastWill: true) }
        return decoded.body.map { encode(decoded.header, $0) } ?? []
    }

    /// Writes a decoded frame; of the header of a last will only the boot.
    package func encode(_ header: FrameHeader, _ body: DecodedBody, isLastWill: Bool = false) -> [UInt8] {
        var message = Wearables_V1_Frame()
        message.schema = "wearables/1"
        message.boot = header.boot.rawValue
        if !isLastWill {
            if let sequence = header.sequence { message.seq = sequence }
            message.uptime = header.uptime.seconds
            if let sent = header.sent { message.sent = sent.seconds }
        }
        switch body {
        case .model(let body): message.setBody(body, columns)
        case .submersion(let samples): message.submersion = Wearables_V1_Submersion(samples)
        case .pedometer(let samples): message.pedometer = Wearables_V1_Pedometer(samples)
        case .motion(let motion): message.samples = Wearables_V1_MotionSamples(motion.samples, columns)
        }
        // Fails for messages of 2 GiB and required fields alone.
        return (try? message.serializedBytes()) ?? []
    }
}

extension Wearables_V1_Frame {
    fileprivate mutating func setBody(_ body: FrameBody, _ columns: ProtobufFrameEncoder.Columns) {
        switch body {
        case .headphoneMotion(let samples), .deviceMotion(let samples):
            self.samples = Wearables_V1_MotionSamples(samples, columns)
        case .headphoneConnection(let event):
            headphoneConnection = .with {
                $0.event = event.event.rawValue
                $0.timestamp = event.time.seconds
            }
        case .batchedIMU(let batch): batchedImu = Wearables_V1_BatchedIMU(batch, columns)
        case .altimeter(let samples): altimeter = Wearables_V1_Altimeter(samples)
        case .status(let status): self.status = Wearables_V1_Status(status)
        case .workout(let change): workout = Wearables_V1_Workout(change)
        case .command(let command): self.command = Wearables_V1_Command(command)
        case .recordedAcceleration(let samples):
            recordedAccelerometer = Wearables_V1_RecordedAccelerometer(samples, columns)
        case .movementDisorder(let results): movementDisorder = Wearables_V1_MovementDisorder(results)
        // Decoded as `DecodedBody.submersion` and `.pedometer`.
        case .submersion, .pedometer: break
        }
    }
}
