import Foundation
import GatewayTestSupport
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("The queries events, samples and profile")
struct HistoryQueryTests {
    private let reader = RequestReader(PipelineHarness.settings)
    private let start = 1_763_755_200.0

    private func request(_ query: String, _ payload: String, policy: DevicePolicy = .everything) throws -> Request {
        let message = RequestMessage(
            topic: "wearables/d1/query/\(query)", payload: Array(payload.utf8), responseTopic: "fathom/test/reply/analyst/1")
        switch reader.read(message, policy: AccessPolicy(unknown: policy)) {
        case .accepted(let request): return request
        case .failed(_, let failure): throw failure
        default: throw CancellationError()
        }
    }

    private func minutes(_ samples: [HistoryDevice.Sample]) throws -> [HistoryMinute] {
        let book = HistoryBook(reader: nil)
        let device = try #require(DeviceID("d1"))
        let recorded = RecordedAcceleration(
            identifier: samples.indices.map { Int64($0) }, startDate: samples.map { UnixTime($0.time) },
            acceleration: VectorColumns(x: samples.map(\.x), y: samples.map(\.y), z: samples.map(\.z)))
        _ = try book.add(recorded, 0..<samples.count, of: device)
        var minutes: [HistoryMinute] = []
        try book.forEachMinute(of: device, in: 0..<Int.max) {
            minutes.append($0)
            return true
        }
        return minutes
    }

    private func parts(_ request: Request, _ minutes: [HistoryMinute]) throws -> [DerivedJSON] {
        guard case .samples(let query) = request.query else { throw CancellationError() }
        var parts = SampleParts(query, of: request)
        var replies = minutes.flatMap { parts.add($0, at: UnixTime(start)) }
        replies.append(parts.finish(at: UnixTime(start)))
        return replies.map { DerivedJSON(topic: $0.address.topic, payload: $0.payload, retain: false) }
    }

    private func column(_ part: DerivedJSON, _ key: String) -> [Double] {
        ((part.fields["samples"] as? [String: Any])?[key] as? [NSNumber])?.map(\.doubleValue) ?? []
    }

    @Test("Samples come back bit by bit as they were stored, in parts, with their times and identifiers")
    func samples() throws {
        let walk = SimulatedNight.walk(from: start + 0.01, seconds: 200, cadence: 1.9)
        let request = try request("samples", #"{"stream":"recorded-accelerometer","from":\#(start),"to":\#(start + 150)}"#)
        let parts = try parts(request, try minutes(walk))
        let sent = walk.filter { $0.time < start + 150 }
        #expect(parts.compactMap { $0.number("part") } == (0..<4).map(Double.init))
        #expect(parts.map { $0.flag("last") } == [false, false, false, true])
        #expect(parts.last?.number("coverage") == 1)
        for key in ["x", "y", "z"] {
            let found = parts.flatMap { column($0, key) }
            let stored = sent.map { sample in
                let value = key == "x" ? sample.x : key == "y" ? sample.y : sample.z
                return (value * 2_048).rounded() / 2_048
            }
            #expect(found == stored)
        }
        #expect(parts.flatMap { column($0, "identifier") } == sent.indices.map(Double.init))
        #expect(zip(parts.flatMap { column($0, "startDate") }, sent).allSatisfy { abs($0 - $1.time) < 1e-6 })
    }

    @Test("A reply can be sent again as a frame")
    func again() throws {
        let request = try request("samples", #"{"stream":"recorded-accelerometer","from":\#(start),"to":\#(start + 20)}"#)
        let part = try #require(try parts(request, try minutes(SimulatedNight.walk(from: start, seconds: 20, cadence: 2))).first)
        let samples = try JSONSerialization.data(withJSONObject: try #require(part.fields["samples"]))
        let frame =
            #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":100,"sent":\#(start + 60),"samples":"#
            + String(decoding: samples, as: UTF8.self) + "}"
        let decoded = try Decoding.decode(.recordedAccelerometer, Array(frame.utf8))
        guard case .model(.recordedAcceleration(let found)) = decoded.body else { throw CancellationError() }
        #expect(found.count == 1_000)
    }

    @Test("Means of an interval")
    func means() throws {
        let request = try request(
            "samples", #"{"stream":"recorded-accelerometer","from":\#(start),"to":\#(start + 10),"interval":1}"#)
        let still = (0..<500).map { HistoryDevice.Sample(start + Double($0) * 0.02, Double($0 / 50) / 16, 0, -1) }
        let part = try #require(try parts(request, try minutes(still)).first)
        #expect(column(part, "x") == (0..<10).map { Double($0) / 16 })
        #expect(column(part, "z") == Array(repeating: -1, count: 10))
        #expect(column(part, "identifier").isEmpty)
    }

    @Test("Nothing stored is one empty part with a coverage of 0")
    func nothing() throws {
        let request = try request("samples", #"{"stream":"recorded-accelerometer","from":\#(start),"to":\#(start + 10)}"#)
        let parts = try parts(request, [])
        #expect(parts.count == 1)
        #expect(parts.first?.flag("last") == true)
        #expect(parts.first?.number("coverage") == 0)
    }

    @Test(
        "Requests that make no sense are refused with their place",
        arguments: [
            ("samples", #"{"stream":"submersion","from":1763755200,"to":1763755300}"#, "/stream"),
            ("samples", #"{"stream":"recorded-accelerometer","from":1763755200,"to":1763884801}"#, "/to"),
            ("samples", #"{"stream":"recorded-accelerometer","from":1763755200,"to":1763755300,"interval":0}"#, "/interval"),
            ("events", #"{"from":1763755200}"#, "/to"), ("events", "", "/from"),
            ("events", #"{"from":1763755200,"to":1763755100}"#, "/to"),
            ("events", #"{"from":1763755200,"to":1763755300,"limit":0}"#, "/limit"),
            ("events", #"{"from":1763755200,"to":1763755300,"kinds":["dove"]}"#, "/kinds/0"),
            ("profile", #"{"from":1763755200,"to":1763955300}"#, "/to"),
        ])
    func refused(query: String, payload: String, pointer: String) {
        let failure = #expect(throws: RequestFailure.self) { try request(query, payload) }
        #expect(failure?.reason == .badRequest)
        #expect(failure?.pointer == pointer)
    }

    private func event(_ kind: String, _ at: Double, _ payload: String) -> StoredEvent {
        StoredEvent(kind: kind, at: UnixTime(at), id: "\(Int(at))", payload: Array(payload.utf8))
    }

    @Test("Events come as they were published, and a place to go on where there are more")
    func events() throws {
        let request = try request("events", #"{"from":\#(start),"to":\#(start + 100)}"#)
        guard case .events(let query) = request.query else { throw CancellationError() }
        let events = [event("dive", start, #"{"a":1.50}"#), event("swing", start + 1, #"{"b":2}"#)]
        let whole = query.reply(to: request, events, hasMore: false, at: UnixTime(start))
        #expect(String(decoding: whole.payload, as: UTF8.self).hasSuffix(#""messages":[{"a":1.50},{"b":2}],"next":null}"#))
        let some = query.reply(to: request, events, hasMore: true, at: UnixTime(start))
        #expect(
            String(decoding: some.payload, as: UTF8.self)
                .hasSuffix(#""next":{"at":\#(Int(start) + 1),"id":"\#(Int(start) + 1)"}}"#))
        let large = (0..<300).map { event("dive", start + Double($0), #""\#(String(repeating: "x", count: 2_000))""#) }
        let cut = DerivedJSON(
            topic: "", payload: query.reply(to: request, large, hasMore: false, at: UnixTime(start)).payload, retain: false)
        let shown = (cut.fields["messages"] as? [Any])?.count ?? 0
        #expect(shown > 50 && shown < 150)
        #expect((cut.fields["next"] as? [String: Any])?["id"] as? String == "\(Int(start) + shown - 1)")
        // A small one behind one that does not fit is of the next reply.
        let uneven = (0..<40).map {
            event("dive", start + Double($0), #""\(String(repeating: "x", count: $0.isMultiple(of: 2) ? 20_000 : 10))""#)
        }
        let reply = query.reply(to: request, uneven, hasMore: false, at: UnixTime(start))
        #expect(reply.payload.count < 262_144 + 1_000)
    }

    private func points(_ events: [StoredEvent]) -> ProfilePoints {
        var points = ProfilePoints()
        for event in events { points.add(event) }
        return points
    }

    @Test("Kinds that need consent are in no reply without it, and asking for one is refused", arguments: ["events", "latest"])
    func consent(query: String) throws {
        let range = query == "events" ? #""from":\#(start),"to":\#(start + 100)"# : ""
        let all = try request(query, "{\(range)}")
        #expect(all.covers("day") && !all.covers("sleep") && !all.covers("tremor"))
        let comma = range.isEmpty ? "" : ","
        let failure = #expect(throws: RequestFailure.self) {
            try request(query, #"{\#(range)\#(comma)"kinds":["day","sleep"]}"#)
        }
        #expect(failure?.reason == .notAuthorized)
        #expect(failure?.pointer == "/kinds/1")
        let consenting = DevicePolicy.with { $0.consents = [.sleep] }
        let asked = try request(query, #"{\#(range)\#(comma)"kinds":["sleep"]}"#, policy: consenting)
        #expect(asked.covers("sleep") && !asked.covers("day"))
        guard case .latest(let latest) = all.query else { return }
        let night = StoredMessage(kind: "sleep", payload: Array(#"{"kind":"sleep"}"#.utf8))
        #expect(!String(decoding: latest.reply(to: all, [night], at: UnixTime(start)).payload, as: UTF8.self).contains("sleep"))
    }

    @Test("A profile has the altitude over time and distance")
    func profile() throws {
        let request = try request("profile", #"{"from":\#(start),"to":\#(start + 100)}"#)
        guard case .profile(let query) = request.query else { throw CancellationError() }
        let events = [
            event("altitude", start, #"{"altitude":null,"relativeAltitude":0}"#),
            event("pace", start + 1, #"{"distance":10}"#),
            event("altitude", start + 2, #"{"altitude":401.5,"relativeAltitude":1.5}"#),
            event("pace", start + 5, #"{"distance":30}"#),
            event("altitude", start + 9, #"{"altitude":400,"relativeAltitude":0}"#),
        ]
        let text = String(decoding: query.reply(to: request, points(events), at: UnixTime(start)).payload, as: UTF8.self)
        #expect(
            text.hasSuffix(
                #""time":[\#(Int(start)),\#(Int(start) + 2),\#(Int(start) + 9)],"altitude":[null,401.5,400],"#
                    + #""relativeAltitude":[0,1.5,0],"distance":[null,15,null]}"#))
        let many = (0..<9_000).map { event("altitude", start + Double($0), #"{"altitude":1,"relativeAltitude":1}"#) }
        let reply = query.reply(to: request, points(many), at: UnixTime(start))
        let points = DerivedJSON(topic: "", payload: reply.payload, retain: false).fields["time"] as? [Any]
        #expect(points?.count == 3_000)
    }
}
