import GatewayPipeline
import LiveView
import Testing

@Suite("How kinds are shown")
struct DeclaredFieldTests {
    private static let envelope: [String: MessageValue] = ["at": .number(5), "received": .number(5), "id": .text("x")]
    /// Kinds that code shows: they join streams, parts or gaps.
    private static let joined: Set<String> = ["access", "alarm", "session", "gap"]

    private func path(of kind: KindDescription) -> String {
        kind.name.replacing("{subject}", with: "headphone").replacing("{stream}", with: "device-motion")
    }

    /// Everything that views show of a device after a message with these values.
    private func shown(_ kind: KindDescription, _ values: [String: MessageValue]) -> [String] {
        let fields = ShownFields(path: path(of: kind), values: values.merging(Self.envelope) { $1 }, kind: kind)
        var device = LiveDevice(id: "d")
        let event = device.take(fields, as: DeclaredKinds()[fields.path], at: 10)
        let facts = kind.view.details.flatMap { detail -> [String] in
            guard case .facts(_, let facts) = detail else { return [] }
            return facts(fields).map { "\($0)" }
        }
        return [
            event?.text ?? "", device.headline(at: 10).text, device.summary(until: 10).text,
            kind.view.cell.map { "\($0.parts(fields))" } ?? "",
        ] + facts
    }

    @Test(
        "What is shown of a kind depends on its declared fields alone", arguments: KindDescription.all,
        [MessageValue.number(0.5), .text("moving"), .flag(true)])
    func fields(kind: KindDescription, value: MessageValue) {
        let all = KindDescription.all.flatMap { $0.fields.map(\.name) }
        let own = kind.fields.map(\.name)
        #expect(all.count > 100)
        #expect(
            shown(kind, Dictionary(own.map { ($0, value) }) { first, _ in first })
                == shown(kind, Dictionary(all.map { ($0, value) }) { first, _ in first }))
    }

    @Test("The fields that a declaration names are those of its kind", arguments: KindDescription.all)
    func names(kind: KindDescription) {
        let own = Set(kind.fields.map(\.name)).union(Self.envelope.keys)
        for detail in kind.view.details {
            switch detail {
            case .plot(let fields), .messages(_, let fields): #expect(Set(fields).isSubset(of: own))
            case .facts: break
            }
        }
        for entity in kind.view.entities {
            switch entity.state {
            case .field(let name): #expect(own.contains(name))
            case .event(_, _, let left): #expect(Set(left).isSubset(of: own))
            }
        }
    }

    @Test("Every declared kind is shown somewhere", arguments: KindDescription.all)
    func shown(kind: KindDescription) {
        // A series is shown as the kind of its samples.
        let view = (kind.sampledKind.flatMap { KindDescription.named($0) } ?? kind).view
        let isShown = view.row != nil || view.event != nil || view.cell != nil || !view.details.isEmpty
        #expect(isShown || Self.joined.contains(String(kind.name.prefix { $0 != "/" })))
    }

    @Test("A kind without a view is shown by its declared fields and units")
    func declared() throws {
        let bearing = KindDescription(
            name: "bearing", isRetained: true,
            fields: [
                .init(name: "azimuth", unit: "rad"), .init(name: "isSteady"), .init(name: "frame"),
                .init(name: "accuracy", unit: "deg"), .init(name: "more"),
            ])
        let blow = KindDescription(name: "blow", isRetained: false, fields: [.init(name: "strength", unit: "G")])
        var model = LiveViewModel(startedAt: 0, kinds: DeclaredKinds([bearing, blow]))
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
}
