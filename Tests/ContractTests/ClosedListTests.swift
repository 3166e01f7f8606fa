import GatewayConfiguration
@testable import GatewayPipeline
@testable import GatewayRuntime
import GatewayTestSupport
@testable import HomeAssistant
import TelemetryModel
import Testing

/// The cases of an enumeration in the code.
struct CaseList: Sendable {
    /// The name on the wire and the raw value of each; nil where it has none there.
    var cases: [(name: String, raw: Int?)]

    init(_ cases: [(name: String, raw: Int?)]) { self.cases = cases }

    /// An enumeration of names.
    init<List: CaseIterable & RawRepresentable<String>>(_: List.Type) {
        cases = List.allCases.map { ($0.rawValue, nil) }
    }

    /// An enumeration by the names and numbers that frames may use.
    init<Value: CaseIterable & Sendable>(_ vocabulary: Vocabulary<Value>, _ name: (Value) -> String)
    where Value: Equatable {
        cases = Value.allCases.map { value in
            (name(value), (-1...600).first { vocabulary.value(raw: $0) == value })
        }
    }
}

@Suite("Closed lists of the schemas")
struct ClosedListTests {
    private static let lists: [String: CaseList] = [
        "accessReason": CaseList(AccessReason.self),
        "alarmSeverity": CaseList(AlarmSeverity.self),
        "alarmState": CaseList(Alarm.State.self),
        "authorization": CaseList(WireNames.authorization, \.rawValue),
        "brokerCapability": CaseList(BrokerLack.Capability.published.map { ($0.rawValue, nil) }),
        "capability": CaseList(Capability.self),
        "claimState": CaseList(Claim.State.self),
        "command": CaseList(WireNames.command, \.rawValue),
        "connectionCause": CaseList(ConnectionCause.self),
        "connectionState": CaseList(ConnectionState.self),
        "connectionSubject": CaseList(ConnectionSubject.self),
        "coreMotionError": CaseList(SubmersionErrorReport.names.sorted { $0.key < $1.key }.map { ($0.value, $0.key) }),
        "depthCause": CaseList(DepthCause.self),
        "depthState": CaseList(WireNames.depthState, \.name),
        "deviceState": CaseList(WireNames.deviceState, \.rawValue),
        "gapCause": CaseList(Gap.Cause.self),
        "gapUnit": CaseList(Gap.Unit.self),
        "gatewayState": CaseList(GatewayStatus.State.self),
        "headphoneEvent": CaseList(WireNames.connectionEvent, \.rawValue),
        "impactAxis": CaseList(ImpactAxis.self),
        "laneName": CaseList(GatewayConfiguration.Lanes.Name.self),
        "lengthUnit": CaseList(LengthUnit.self),
        "magneticAccuracy": CaseList(WireNames.magneticAccuracy, \.name),
        "paceCause": CaseList(Pace.Cause.self),
        "paceState": CaseList(Pace.State.self),
        "pedometerEvent": CaseList(WireNames.pedometerEvent, \.name),
        "pressureUnit": CaseList(PressureUnit.self),
        "publishRefusal": CaseList(PublishRefusal.self),
        "quality": CaseList(Quality.self),
        "referenceFrame": CaseList(WireNames.referenceFrame, \.rawValue),
        "rejectionReason": CaseList(RejectionReason.self),
        "requestError": CaseList(RequestFailure.Reason.self),
        "sensorLocation": CaseList(WireNames.sensorLocation, \.name),
        "sessionEnd": CaseList(Session.End.self),
        "sessionState": CaseList(Session.State.self),
        "side": CaseList(WireNames.side, \.rawValue),
        "streamName": CaseList(StreamName.self),
        "stroke": CaseList(Stroke.Name.self),
        "submersionState": CaseList(WireNames.submersionState, \.name),
        "temperatureUnit": CaseList(TemperatureUnit.self),
        "sleepMethod": CaseList(SleepMethod.self), "wearState": CaseList(WearState.self),
        "workoutState": CaseList(WireNames.workoutState, \.name),
    ]

    @Test("Every enumeration of the schemas has the cases of the code, with the same raw values and a sentence each")
    func lists() throws {
        let listed = try Contract.schemas().documents.filter { $0.key.hasPrefix("common/") && $0.value["oneOf"] != nil }
        #expect(Set(listed.keys) == Set(Self.lists.keys.map { "common/\($0).json" }))
        for (path, definition) in listed {
            let name = String(path.dropFirst("common/".count).dropLast(".json".count))
            let cases = definition["oneOf"]?.elements ?? []
            let expected = Self.lists[name]?.cases ?? []
            #expect(cases.compactMap { $0["const"]?.text } == expected.map(\.name), "\(name)")
            #expect(cases.map { $0["x-raw"]?.number } == expected.map { $0.raw.map(Double.init) }, "\(name)")
            #expect(cases.allSatisfy { $0["description"]?.text?.hasSuffix(".") == true }, "\(name)")
        }
    }

    @Test("Queries, reasons of a reply and platforms of entities are those of the code")
    func requests() throws {
        let documents = try Contract.schemas().documents
        let properties = documents["reply/error.json"]?["properties"]
        #expect(properties?["queries"]?["items"]?["enum"]?.elements == Query.names.map { .string($0) })
        let latest = documents["reply/latest.json"]?["properties"]
        let reasons = latest?["notCurrent"]?["items"]?["properties"]?["reasons"]?["items"]?["enum"]?.elements
        #expect(reasons == (["expired"] + Quality.allCases.filter { $0 != .valid }.map(\.rawValue)).map { .string($0) })
        #expect(documents["query/latest.json"]?["properties"]?["kinds"]?["maxItems"]?.number == Double(KindFilter.mostKinds))
        let component = documents["common/discoveryComponent.json"]?["properties"]
        #expect(component?["platform"]?["enum"]?.elements == Component.Platform.allCases.map { .string($0.rawValue) })
    }

    @Test("Enumerations inside of kinds are those of the code")
    func inside() throws {
        let documents = try Contract.schemas().documents
        func values(_ path: String, _ field: String) -> [JSONValue] {
            documents[path]?["properties"]?[field]?["enum"]?.elements ?? []
        }
        #expect(values("out/depth-state.json", "rawValue") == DepthState.allCases.map { .number(Double($0.rawValue)) })
        #expect(
            values("out/access.json", "code")
                == CoreMotionErrorCode.allCases.map { .number(Double($0.rawValue)) } + [.null])
        for kind in ["access", "committed"] {
            #expect(
                values("out/\(kind).json", "kind") == StreamName.allCases.map { .string("\(kind)/\($0.rawValue)") })
        }
        #expect(
            values("out/connection.json", "kind") == ConnectionSubject.allCases.map { .string("connection/\($0.rawValue)") })
    }
}
