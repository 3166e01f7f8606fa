import GatewayPipeline
@testable import LiveView
import Testing

@Suite("What the live view reads")
struct DeclaredFieldTests {
    /// What no kind declares: the envelope, and the fields of `rejected` and of the gateway's status.
    private static let others: Set<String> = [
        "at", "quality", "reason", "detail", "topic", "count", "state", "id", "received", "validUntil", "pointer", "payload",
        "ingress", "storageProblem", "registryProblem",
    ]

    @Test("Every field it reads is one that a kind declares")
    func fields() throws {
        let fields = try #require(DerivedFields(Array("{}".utf8)))
        let read = Set(Mirror(reflecting: fields).children.compactMap(\.label))
        let declared = Set(KindDescription.all.flatMap { $0.fields.map(\.name) })
        #expect(read.count > 30)
        #expect(read.subtracting(declared).isSubset(of: Self.others))
    }

    @Test("A kind without a picture is shown by its declared fields and units")
    func declared() throws {
        let bearing = LiveKind(
            name: "bearing", isRetained: true,
            fields: [("azimuth", "rad"), ("isSteady", nil), ("frame", nil), ("accuracy", "deg"), ("more", nil)])
        let blow = LiveKind(name: "blow", isRetained: false, fields: [("strength", "G")])
        var model = LiveViewModel(startedAt: 0, kinds: [bearing, blow])
        func receive(_ kind: String, _ json: String) -> [String] {
            model.receive(topic: "wearables/w1/out/\(kind)", payload: Array(json.utf8), at: 1).map(\.text)
        }
        let state = #"{"azimuth":1.5708,"isSteady":true,"frame":"north","accuracy":null,"more":{"x":1},"id":"0"}"#
        #expect(receive("bearing", state) == [])
        #expect(model.devices.first?.headline(at: 0).text == "bearing: azimuth 1.57 rad, is steady yes, frame north")
        #expect(receive("blow", #"{"strength":3}"#) == ["blow: strength 3.00 G"])
        #expect(receive("blow", #"{"strength":"\u001b[2J"}"#).allSatisfy { !$0.contains("\u{1b}") })
        #expect(receive("undeclared", #"{"strength":3}"#) == [])
        #expect(receive("blow", "{}") == [])
    }

    @Test("Of every declared kind there is a picture, or its fields are shown", arguments: KindDescription.all)
    func shown(kind: KindDescription) throws {
        let path = kind.name.replacing("{subject}", with: "device").replacing("{stream}", with: "device-motion")
        guard !LiveDevice.shows(path), !path.contains("/") else { return }
        let fields = kind.fields.map { "\"\($0.name)\":1" }.joined(separator: ",")
        let live = LiveKind(name: kind.name, isRetained: kind.isRetained, fields: kind.fields.map { ($0.name, $0.unit) })
        #expect(live.phrase(Array("{\(fields)}".utf8)) != nil)
    }
}
