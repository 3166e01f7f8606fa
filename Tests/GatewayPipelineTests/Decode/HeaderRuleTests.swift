import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Rules of the header")
struct HeaderRuleTests {
    static let cases: [RuleCase] = [
        workout("/schema", nil, .unknownSchema), workout("/schema", "\"wearables/2\"", .unknownSchema),
        workout("/schema", "1", .unknownSchema), workout("/schema", "null", .unknownSchema),
        workout("/boot", nil, .missingField), workout("/boot", "7", .wrongType), workout("/boot", "null", .wrongType),
        workout("/boot", "\"\"", .invalidValue), workout("/boot", "\"a/b\"", .invalidValue),
        workout("/boot", "\"b\\u0000\"", .invalidValue), workout("/boot", "\"b\\n\"", .invalidValue),
        workout("/boot", "\"ｂ7\"", .invalidValue),
        workout("/boot", "\"\(String(repeating: "a", count: 65))\"", .invalidValue),
        workout("/seq", nil, .missingField), workout("/seq", "1.0", .wrongType), workout("/seq", "1e3", .wrongType),
        workout("/seq", "\"1\"", .wrongType), workout("/seq", "null", .wrongType), workout("/seq", "true", .wrongType),
        workout("/seq", "-1", .invalidValue), workout("/seq", "9007199254740992", .invalidValue),
        workout("/seq", "9223372036854775808", .invalidValue),
        workout("/uptime", nil, .missingField), workout("/uptime", "\"5\"", .wrongType),
        workout("/uptime", "-0.001", .timeOutOfRange), workout("/uptime", "9007199254740992", .timeOutOfRange),
        workout("/uptime", "1e308", .timeOutOfRange), workout("/uptime", "1e13", .timeOutOfRange),
        workout("/uptime", "9007199254.740992", .timeOutOfRange),
        workout("/sent", "\"now\"", .wrongType), workout("/sent", "0", .timeOutOfRange),
        workout("/sent", "-1", .timeOutOfRange), workout("/sent", "9.1e15", .timeOutOfRange),
        workout("/sent", "1763749000120", .timeOutOfRange), workout("/sent", "978307199.999", .timeOutOfRange),
        workout("/sent", "4102444800.001", .timeOutOfRange),
        RuleCase(.command, SampleFrames.command, "/seq", "1.5", .wrongType),
        RuleCase(.status, SampleFrames.status, "/seq", nil, .missingField),
        RuleCase(.status, SampleFrames.status, "/uptime", nil, .missingField),
        RuleCase(.status, SampleFrames.status.with("/seq", nil), "/uptime", nil, .missingField, at: "/seq"),
        RuleCase(.status, SampleFrames.lastWill, "/uptime", "1", .missingField, at: "/seq"),
        RuleCase(.status, SampleFrames.lastWill, "/seq", "1", .missingField, at: "/uptime"),
        RuleCase(.status, SampleFrames.lastWill, "/seq", "null", .wrongType),
        RuleCase(.status, SampleFrames.lastWill, "/schema", nil, .unknownSchema),
        RuleCase(.status, SampleFrames.lastWill, "/boot", nil, .missingField),
    ]

    private static let workout = RuleMaker(stream: .workout, frame: SampleFrames.workout)

    @Test(arguments: cases) func `A header that breaks a rule is refused where it does`(rule: RuleCase) { rule.check() }

    @Test(arguments: ["978307200", "1763749000.12", "4102444800"]) func `A wall clock may show 2001 to 2100`(sent: String) throws
    {
        let frame = try Decoding.frame(.workout, SampleFrames.workout.with("/sent", sent))
        #expect(frame.header.sent?.seconds == Double(sent))
    }

    @Test func `A last will has neither seq nor uptime`() throws {
        let frame = try Decoding.frame(.status, SampleFrames.lastWill)
        #expect(frame.isLastWill)
        #expect(frame.header.sequence == nil)
        #expect(frame.header.uptime.seconds == 0)
        #expect(frame.header.sent == nil)
        #expect(frame.body == .model(.status(.init(state: .offline))))
    }

    @Test func `Going offline in order is no last will`() throws {
        let frame = try Decoding.frame(.status, SampleFrames.status.with("/state", "\"offline\""))
        #expect(!frame.isLastWill)
    }
}
