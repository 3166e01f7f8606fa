import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Status, workout, connection and command frames")
struct StatusAndEventRuleTests {
    private static let longText = "\"\(String(repeating: "a", count: 129))\""

    static let cases: [RuleCase] = [
        status("/state", nil, .missingField), status("/state", "\"asleep\"", .invalidValue), status("/state", "1", .wrongType),
        status("/model", "6", .wrongType), status("/model", longText, .invalidValue),
        status("/model", "\"Watch\\u0007\"", .invalidValue), status("/os", "\"a\\nb\"", .invalidValue),
        status("/os", "\"a\\u202eb\"", .invalidValue),
        status("/authorization", "\"authorized\"", .wrongType),
        status("/authorization/motion", "\"yes\"", .invalidValue), status("/authorization/motion", "4", .invalidValue),
        status("/available", "[]", .wrongType), status("/available/pedometer", "1", .wrongType),
        status("/available/pedometer", "\"true\"", .wrongType),
        status("/entitlements", "\"x\"", .wrongType), status("/entitlements/0", "5", .wrongType),
        status("/entitlements/0", longText, .invalidValue),
        status("/entitlements", "[\(repeatElement("\"e\"", count: 65).joined(separator: ","))]", .invalidValue),
        status("/wristLocation", "\"ankle\"", .invalidValue), status("/crownOrientation", "2", .invalidValue),
        RuleCase(.status, SampleFrames.lastWill, "/model", "5", .wrongType),
        workout("/state", nil, .missingField), workout("/state", "0", .invalidValue), workout("/state", "7", .invalidValue),
        workout("/state", "\"resting\"", .invalidValue), workout("/state", "[]", .wrongType),
        workout("/activity", "1.5", .wrongType), workout("/activity", "-1", .invalidValue),
        workout("/activity", longText, .invalidValue), workout("/activity", "\"\\u0000\"", .invalidValue),
        workout("/timestamp", nil, .missingField), workout("/timestamp", "-1", .timeOutOfRange),
        workout("/timestamp", "200", .timeOutOfRange),
        connection("/event", nil, .missingField), connection("/event", "\"didExplode\"", .invalidValue),
        connection("/event", "1", .wrongType), connection("/timestamp", nil, .missingField),
        connection("/timestamp", "\"99\"", .wrongType), connection("/timestamp", "1e300", .timeOutOfRange),
        RuleCase(.command, SampleFrames.command, "/command", nil, .missingField),
        RuleCase(.command, SampleFrames.command, "/command", "\"selfDestruct\"", .invalidValue),
        RuleCase(.command, SampleFrames.command, "/command", "0", .wrongType),
    ]

    private static let status = RuleMaker(stream: .status, frame: SampleFrames.status)
    private static let workout = RuleMaker(stream: .workout, frame: SampleFrames.workout)
    private static let connection = RuleMaker(stream: .headphoneConnection, frame: SampleFrames.headphoneConnection)

    @Test(arguments: cases) func `A frame that breaks a rule is refused where it does`(rule: RuleCase) { rule.check() }

    @Test func `Every field of a status is read`() throws {
        #expect(
            try Decoding.model(.status, SampleFrames.status)
                == .status(
                    DeviceStatus(
                        state: .online, model: "Watch6,18", os: "watchOS 10.4", authorization: .authorized,
                        available: [.waterSubmersion: true, .pedometer: false],
                        entitlements: ["com.apple.developer.submerged-shallow-depth-and-pressure"], wristLocation: .left,
                        crownOrientation: .right)))
    }

    @Test func `Only the state of a status is required`() throws {
        let bare: JSONText = ["schema": "wearables/1", "boot": "b", "seq": 0, "uptime": 0, "state": "online"]
        #expect(try Decoding.model(.status, bare) == .status(DeviceStatus(state: .online)))
    }

    @Test(arguments: zip(0...3, [Authorization.notDetermined, .restricted, .denied, .authorized]))
    func `Authorization may be a raw value`(raw: Int, authorization: Authorization) throws {
        let frame = SampleFrames.status.with("/authorization/motion", "\(raw)")
        #expect(try Decoding.status(frame).authorization == authorization)
    }

    @Test(arguments: WorkoutState.allCases)
    func `A workout state may be a name or a raw value`(state: WorkoutState) throws {
        for text in ["\"\(state.name)\"", "\(state.rawValue)"] {
            #expect(try Decoding.workout(SampleFrames.workout.with("/state", text)).state == state)
        }
    }
}
