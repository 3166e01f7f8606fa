import Foundation
import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import SwiftProtobuf
import Testing
import WearableProtobuf

/// Bad frames in Protocol Buffers, one for each reason for which such a frame can be rejected.
@Suite("Examples of bad frames in Protocol Buffers")
struct ProtobufExampleTests {
    private struct Example {
        var reason: RejectionReason
        var pointer: String
        var title: String
        var stream = "submersion"
        var payload: [UInt8]
        var settings: [String: String] = [:]
    }

    private static func submersion(_ edit: (inout Wearables_V1_Frame) -> Void) throws -> [UInt8] {
        var frame = Wearables_V1_Frame.with {
            $0.schema = "wearables/1"
            $0.boot = "b7f3"
            $0.seq = 0
            $0.uptime = 5321.25
            $0.sent = 1_763_749_000.12
            $0.submersion.measurements = [
                .with {
                    $0.timestamp = 5321.1
                    $0.depth.value = 3.2
                    $0.depth.unit = "m"
                }
            ]
        }
        edit(&frame)
        return try frame.serializedBytes()
    }

    private static let downwards = Wearables_V1_Vectors.with { ($0.x, $0.y, $0.z) = ([0], [0], [-1]) }

    private static func batch(_ edit: (inout Wearables_V1_BatchedIMU.Accelerometer) -> Void) throws -> [UInt8] {
        try submersion {
            $0.batchedImu.accelerometer = .with {
                $0.timestamp.start = 5321
                $0.timestamp.deltaMicroseconds = [0, 1250, 1250]
                $0.x = [0, 0.1, 0.2]
                $0.y = [0, 0, 0]
                $0.z = [-1, -1, -1]
            }
            edit(&$0.batchedImu.accelerometer)
        }
    }

    private static func examples() throws -> [Example] {
        let good = try submersion { _ in }
        return [
            Example(
                reason: .malformedProtobuf, pointer: "", title: "A frame that ends too early", payload: Array(good.dropLast())),
            Example(
                reason: .payloadTooLarge, pointer: "", title: "A frame of more bytes than the limit",
                payload: good + [0x7A, 0xE8, 0x07] + Array(repeating: 0, count: 1000),
                settings: ["limits.maximumPayloadBytes": "1024"]),
            Example(
                reason: .invalidUTF8, pointer: "/boot", title: "A byte that is not UTF-8, in the boot",
                payload: [0x0A, 11] + Array("wearables/1".utf8) + [0x12, 1, 0xFF]),
            Example(
                reason: .notFinite, pointer: "/measurements/0/depth/value", title: "A depth of NaN",
                payload: try submersion { $0.submersion.measurements[0].depth.value = .nan }),
            Example(
                reason: .nestedTooDeep, pointer: "", title: "Groups in an unknown field, deeper than the limit",
                payload: good + Array(repeating: 0x3B, count: 16) + Array(repeating: 0x3C, count: 16)),
            Example(reason: .duplicateKey, pointer: "/boot", title: "The boot twice", payload: good + [0x12, 1, 0x62]),
            Example(
                reason: .unknownSchema, pointer: "/schema", title: "A schema of another version",
                payload: try submersion { $0.schema = "wearables/2" }),
            Example(
                reason: .missingField, pointer: "/measurements/0/depth/value", title: "A depth without a value",
                payload: try submersion { $0.submersion.measurements[0].depth.clearValue() }),
            Example(
                reason: .conflictingFields, pointer: "/samples/acceleration",
                title: "Raw acceleration beside the gravity of a fused motion", stream: "device-motion",
                payload: try submersion {
                    $0.samples.timestamp.value = [5321.2]
                    $0.samples.acceleration = Self.downwards
                    $0.samples.gravity = Self.downwards
                }),
            Example(
                reason: .wrongType, pointer: "/uptime", title: "An uptime of the type fixed32",
                payload: try submersion { $0.clearUptime() } + [0x25, 0, 0, 0, 0]),
            Example(
                reason: .invalidValue, pointer: "/accelerometer/packed/scale",
                title: "A scale of 0 for packed columns", stream: "batched-imu",
                payload: try batch {
                    ($0.x, $0.y, $0.z) = ([], [], [])
                    $0.packed = .with {
                        ($0.x, $0.y, $0.z) = ([0, 1, 2], [0, 0, 0], [-2000, 0, 0])
                        $0.scale = 0
                    }
                }),
            Example(
                reason: .unknownUnit, pointer: "/measurements/0/depth/unit", title: "A depth in fathoms",
                payload: try submersion { $0.submersion.measurements[0].depth.unit = "fathom" }),
            Example(
                reason: .columnLength, pointer: "/accelerometer/y", title: "A column that is shorter than the others",
                stream: "batched-imu", payload: try batch { $0.y = [0, 0] }),
            Example(
                reason: .timestampOrder, pointer: "/accelerometer/timestamp/2",
                title: "A difference of times that is not more than 0",
                stream: "batched-imu", payload: try batch { $0.timestamp.deltaMicroseconds = [0, 1250, 0] }),
            Example(
                reason: .timeOutOfRange, pointer: "/measurements/0/timestamp", title: "A measurement 6 s after the uptime",
                payload: try submersion { $0.submersion.measurements[0].timestamp = 5327.25 }),
            Example(
                reason: .tooOld, pointer: "/sent", title: "A frame that is older than the limit",
                payload: try submersion { $0.sent = 1_763_748_900 }, settings: ["limits.maximumAgeSeconds": "60"]),
            Example(
                reason: .unsupportedContentType, pointer: "", title: "Neither JSON nor Protocol Buffers, without a content type",
                payload: Array("depth 3.2 m".utf8)),
        ]
    }

    /// Reasons that have nothing to do with the encoding, and those that only JSON has.
    private static let others: Set<RejectionReason> = [
        .emptyPayload, .malformedJSON, .unknownStream, .notStored, .invalidTopic, .unknownDevice, .otherPartition, .deviceLimit,
        .identityConflict,
        .clockTooFast, .clockSetBack, .bootReused,
    ]

    private static func text(_ example: Example) -> String {
        let type = example.reason == .unsupportedContentType ? "" : #""contentType":"application/protobuf","#
        let settings = example.settings.map { #""settings":{"\#($0.key)":"\#($0.value)"},"# }.joined()
        let json = """
            {"title":"\(example.title)",\(settings)"messages":[{"at":1763749000.31,"topic":"wearables/d1/in/\(example.stream)",\(type)\
            "payloadBase64":"\(Base64.encode(example.payload))"}],"expected":{"topic":"wearables/d1/out/rejected",\
            "payload":{"reason":"\(example.reason.rawValue)","pointer":"\(example.pointer)"}}}
            """
        return PrettyJSON().text(Array(json.utf8))
    }

    @Test("There is one for each reason, and each gives exactly its reason and place")
    func rejected() throws {
        let examples = try Self.examples()
        #expect(Set(examples.map(\.reason)) == Set(RejectionReason.ofFrames).subtracting(Self.others))
        for example in examples {
            let path = "examples/rejected-protobuf/\(example.reason.rawValue).json"
            let text = Self.text(example)
            try Contract.expect(path, is: text)
            let reports = try RejectedExampleTests().published(JSONValue(parsing: text.utf8)).filter {
                $0.topic.hasSuffix("/rejected")
            }
            #expect(reports.count == 1, "\(path): \(reports.map(\.payload.description))")
            #expect(reports.first?.payload["reason"]?.text == example.reason.rawValue, "\(path)")
            #expect(reports.first?.payload["pointer"]?.text == example.pointer, "\(path)")
        }
        #expect(try Contract.files("examples/rejected-protobuf").count == examples.count)
    }
}
