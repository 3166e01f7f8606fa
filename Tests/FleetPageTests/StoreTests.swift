@testable import FleetPage
import Foundation
import GatewayPipeline
import JSONText
import LiveView
import Testing

@Suite("What the page keeps")
struct StoreTests {
    @Test("A row has depth, its validity, and the last depth that was known")
    func water() throws {
        var store = FleetStore()
        store.receive(
            0, "ultra-1", "depth-state", depth("submergedDeep", 300, 4.9, #""quality":"valid","validUntil":\#(start + 5)"#))
        store.receive(6, "ultra-1", "depth-state", depth("unknown", 0, nil, #""quality":"stale","cause":"silence""#))
        let row = try store.row("ultra-1")
        let water = try #require(row["water"] as? [String: Any])
        #expect(water["state"] as? String == "unknown")
        #expect(water["quality"] as? String == "stale")
        let known = try #require(water["known"] as? [String: Any])
        #expect(known["state"] as? String == "submergedDeep")
        #expect(known["depth"] as? Double == 4.9)
        #expect(row["heardAt"] as? Double == start)
    }

    @Test("A faulty depth never becomes the one that was known")
    func fault() throws {
        var store = FleetStore()
        store.receive(0, "u", "depth-state", depth("submergedShallow", 200, 0.8))
        store.receive(1, "u", "depth-state", depth("pastMaxDepth", 500, 30, #""quality":"fault""#))
        let row = try store.row("u")
        let water = try #require(row["water"] as? [String: Any])
        #expect(water["zone"] as? Int == 500)
        #expect(water["quality"] as? String == "fault")
        #expect((water["known"] as? [String: Any])?["depth"] as? Double == 0.8)
    }

    @Test("A row says whether its greatest depth is only the greatest that was measured")
    func tooDeep() throws {
        var store = FleetStore()
        func wasTooDeep() throws -> Bool? { (try store.row("u")["water"] as? [String: Any])?["wasTooDeep"] as? Bool }
        store.receive(0, "u", "depth-state", depth("pastMaxDepth", 500, 6.3))
        #expect(try wasTooDeep() == false)
        store.receive(1, "u", "depth-state", depth("sensorDepthError", 600, nil))
        store.receive(2, "u", "depth-state", depth("submergedShallow", 200, 0.8))
        #expect(try wasTooDeep() == true)
    }

    @Test("A row has the set that is under way, the pose that is held, and what there was before")
    func exercise() throws {
        var store = FleetStore()
        store.receive(0, "w", "repetition", #""count":7,"set":2,"validUntil":\#(start + 10)"#)
        store.receive(1, "w", "pose", #""pose":"tree","since":\#(start),"sway":0.01,"validUntil":\#(start + 6)"#)
        store.receive(1.5, "w", "punch", #""count":3,"peakAcceleration":9.5"#)
        #expect(try store.cells("w", "exercise") == ["7 × set 2", "tree {since \(start)} sway 0.6°", "3 punches, 9.5 G"])
        store.receive(2, "w", "set", #""repetitions":8,"period":2.1"#)
        store.receive(3, "w", "pose", #""pose":null"#)
        store.receive(4, "w", "pose-hold", #""pose":"tree","duration":12.2,"sway":0.01"#)
        #expect(try store.cells("w", "exercise") == ["8 × in 1 set", "3 punches, 9.5 G", "1 pose"])
        store.receive(5, "other", "pose", #""pose":null"#)
        #expect(try store.cells("other", "exercise") == [])
    }

    @Test("The last sets are kept, and the session of a row is the latest")
    func setsAndSessions() throws {
        var limits = FleetLimits()
        limits.messages = 3
        var store = FleetStore(limits: limits)
        for number in 1...5 {
            let seconds = Double(number) * 30
            store.receive(
                seconds, "w", "set",
                #""set":\#(number),"repetitions":8,"start":\#(start + seconds - 14),"end":\#(start + seconds),"period":1.96,"#
                    + #""periodSpread":0.02,"rangeOfMotion":1.17,"exercise":"pushUp""#)
        }
        store.receive(160, "w", "set", #""set":6,"repetitions":8"#)
        let sets = try #require(try store.messages("w", "set"))
        #expect(sets.map { $0["set"] as? Int } == [3, 4, 5])
        #expect(sets.last?["repetitions"] as? Int == 8 && sets.last?["exercise"] as? String == "pushUp")
        #expect(sets.last?["end"] as? Double == start + 150 && sets.last?["periodSpread"] as? Double == 0.02)

        #expect(try store.row("w")["session"] is NSNull)
        func session(_ seconds: Double, from begin: Double, _ state: String, end: String = "null") throws -> String? {
            store.receive(
                seconds, "w", "session/motion",
                #""activity":"traditionalStrengthTraining","state":"\#(state)","start":\#(start + begin),"end":\#(end)"#)
            let session = try store.row("w")["session"] as? [String: Any]
            #expect(session?["activity"] as? String == "traditional strength training")
            return session?["state"] as? String
        }
        #expect(try session(170, from: 0, "running") == "running")
        #expect(try session(200, from: 0, "ended", end: "\(start + 200)") == "ended")
        #expect(try session(230, from: 210, "running") == "running")
        // Late data publish the one before again.
        #expect(try session(200, from: 0, "ended", end: "\(start + 200)") == "running")
    }

    @Test("A row has the alarms of a device; a cleared topic ends one, and none is a sign of life")
    func alarms() throws {
        var store = FleetStore()
        func all() throws -> [[String: Any]] { try store.row("u")["alarms"] as? [[String: Any]] ?? [] }
        store.receive(
            0, "u", "alarm/refused/submersion",
            #""alarm":"refused","severity":"warning","state":"raised","since":\#(start),"value":"notEntitled""#)
        store.receive(
            1, "u", "alarm/past-limit",
            #""severity":"critical","state":"acknowledged","since":\#(start),"acknowledgedBy":"Анна","count":3"#)
        #expect(try all().map { $0["alarm"] as? String } == ["refused/submersion", "past-limit"])
        #expect(try all()[0]["reason"] as? String == "not entitled" && all()[0]["clearedAt"] is NSNull)
        #expect(try all()[1]["acknowledgedBy"] as? String == "Анна" && all()[1]["count"] as? Int == 3)
        #expect(try store.row("u")["heardAt"] is NSNull)
        store.receive(topic: "wearables/u/out/alarm/past-limit", payload: [], at: start + 2)
        #expect(try all().count == 1)
        let timeline = try #require(store.history("u")["timeline"] as? [[String: Any]])
        #expect(
            timeline.map { $0["text"] as? String } == [
                "alarm refused/submersion: not entitled",
                #"alarm past-limit acknowledged by \u{410}\u{43d}\u{43d}\u{430}"#,
            ])
    }

    @Test("Minutes of tremor fill the drawing, not the timeline")
    func tremorByMinute() throws {
        var store = FleetStore()
        for minute in 1...120 {
            let share = (40...60).contains(minute) ? 0 : 0.5
            store.receive(
                Double(minute) * 60, "w", "tremor",
                #""none":\#(1 - share),"slight":\#(share),"mild":0,"moderate":0,"severe":0,"unknown":0"#)
        }
        let history = try store.history("w")
        let plot = try #require((history["plots"] as? [String: [String: Any]])?["tremor"])
        #expect((plot["at"] as? [Any])?.count == 120)
        #expect(plot["fields"] as? [String] == ["slight", "mild", "moderate", "severe", "unknown"])
        #expect((history["timeline"] as? [Any])?.count == 2)
    }

    @Test("What the table draws is kept a point in five seconds, and sent to a new viewer alone")
    func trends() throws {
        var store = FleetStore()
        for second in 0..<400 {
            store.receive(Double(second), "u", "depth-state", depth("submergedDeep", 300, Double(second % 10)))
        }
        store.receive(401, "u", "depth-state", depth("unknown", 0, nil, #""quality":"stale""#))
        let all = JSONWriter.object { store.encodeAll(into: &$0) }
        let rows = try #require(parsed(all)?["devices"] as? [[String: Any]])
        let points = try #require((rows[0]["trends"] as? [String: [[Any]]])?["depth-state"])
        #expect(points.count == 60 && points.last?[1] is NSNull)
        #expect(try store.row("u")["trends"] == nil)
        #expect((parsed(all)?["trends"] as? [[String: String]])?.first == ["kind": "depth-state", "field": "depth"])
    }

    @Test("The latest minute of tremor and of dyskinesia is in the row, and what has some in the timeline")
    func tremor() throws {
        var store = FleetStore()
        store.receive(
            60, "w", "tremor",
            #""start":\#(start),"end":\#(start + 60),"none":0.5,"slight":0.5,"mild":0,"moderate":0,"severe":0,"frequency":null,"method":"apple""#
        )
        store.receive(61, "w", "dyskinesia", #""start":\#(start),"end":\#(start + 60),"unlikely":1,"likely":0,"method":"apple""#)
        #expect(try store.cells("w", "tremor") == ["50 % slight", "dyskinesia 0 %"])
        // Both are about one minute.
        #expect(
            try store.facts("w", "Tremor, for research") == [
                "tremor: 50 % of a minute, mostly slight", "found by: Apple's movement disorder manager",
                "minute: until {moment \(start + 60)}", "dyskinesia: likely in 0 % of a minute",
            ])
        let timeline = try #require(store.history("w")["timeline"] as? [[String: Any]])
        #expect(timeline.map { $0["kind"] as? String } == ["tremor"])
        #expect(try store.row("w")["role"] as? String == "tremor")
        store.receive(62, "other", "connection/device", #""state":"connected""#)
        #expect(try store.facts("other", "Tremor, for research") == [])
    }

    @Test("A kind is shown by its declaration alone: column, cell, facts, plot, messages and events")
    func declared() throws {
        let view = KindView(
            DeviceRole("kite", icon: "^"), row: { Phrase("pulls \($0["pull", 1])") },
            event: { $0.number("pull").flatMap { $0 > 50 ? Phrase("strong pull", .warning) : nil } },
            cell: .init(ViewColumn("pull", "Pull", isNumber: true)) {
                [.text($0.isCurrent ? $0["pull", 0] : "was \($0["pull", 0])")]
            },
            details: [.facts("Kite") { [("pull", [.text($0["pull", 2])])] }, .plot(["pull"]), .messages(2, with: ["pull"])])
        let kite = KindDescription(name: "kite", isRetained: true, fields: [.init(name: "pull", unit: "N")], view: view)
        var store = FleetStore(kinds: DeclaredKinds([kite]))
        for (seconds, pull) in [(0.0, 40), (1, 60), (2, 45)] {
            store.receive(seconds, "k", "kite", #""pull":\#(pull),"quality":"valid","validUntil":\#(start + seconds + 5)"#)
        }
        var json = JSONWriter()
        json.object { store.encodeAll(into: &$0) }
        let columns = try #require(parsed(json.bytes)?["columns"] as? [[String: Any]])
        #expect(columns.map { $0["title"] as? String } == ["Pull"] && columns.first?["isNumber"] as? Bool == true)
        let row = try store.row("k")
        #expect(row["role"] as? String == "kite")
        #expect(try store.cells("k", "pull") == ["45 N"])
        let cell = try #require((row["cells"] as? [String: [[String: Any]]])?["pull"]?.first)
        #expect((cell["was"] as? [[String]])?.first?.last == "was 45 N")
        #expect(cell["validUntil"] as? Double == start + 7)
        #expect(try store.facts("k", "Kite") == ["pull: 45.00 N"])
        let plot = try #require((store.history("k")["plots"] as? [String: [String: Any]])?["kite"])
        #expect(plot["values"] as? [[Double]] == [[40, 60, 45]] && plot["unit"] as? String == "N")
        #expect(try store.messages("k", "kite")?.map { $0["pull"] as? Int } == [60, 45])
        let timeline = try #require(store.history("k")["timeline"] as? [[String: Any]])
        #expect(timeline.map { $0["text"] as? String } == ["strong pull"])
    }

    @Test("Only rows that changed are sent, and once")
    func changes() throws {
        var store = FleetStore()
        store.receive(0, "a", "connection/device", #""state":"connected""#)
        store.receive(0, "b", "connection/device", #""state":"connected""#)
        let first = store.takeChanges(at: start)
        #expect(ids(first) == ["a", "b"])
        let none = store.takeChanges(at: start + 1)
        #expect(none == nil)
        store.receive(2, "b", "gap", #""stream":"submersion","unit":"frames","expected":3,"receivedCount":1"#)
        let second = store.takeChanges(at: start + 2)
        #expect(ids(second) == ["b"])
        #expect(try store.row("b")["gaps"] as? Int == 1)
    }

    @Test("Head poses are shown twice a second, the last one always")
    func poses() {
        var store = FleetStore()
        var shown = 0
        for tenth in 0...20 {
            let seconds = Double(tenth) / 10
            if tenth <= 12 { store.receive(seconds, "pods", "head-pose", #""yaw":\#(tenth),"pitch":0,"roll":0"#) }
            if store.takeChanges(at: start + seconds) != nil { shown += 1 }
        }
        // At 0, 0.5 and 1.0 s, and the one of 1.2 s at 1.5 s.
        #expect(shown == 4)
        #expect((try? store.cells("pods", "head"))?.count == 1)
    }

    @Test("A message that is delivered twice counts once")
    func repeated() throws {
        var store = FleetStore()
        for _ in 0..<3 {
            store.receive(0, "a", "gap", #""id":"7f","stream":"status","unit":"frames","expected":2,"receivedCount":1"#)
        }
        #expect(try store.row("a")["gaps"] as? Int == 1)
    }

    @Test("Histories keep the latest, as many as their limits")
    func bounded() throws {
        var limits = FleetLimits()
        (limits.points, limits.messages, limits.timeline) = (6, 4, 5)
        var store = FleetStore(limits: limits)
        for index in 0..<50 {
            let seconds = Double(index)
            store.receive(seconds, "a", "depth-state", depth("submergedShallow", 200, 1 + seconds))
            store.receive(seconds, "a", "swing", #""contact":false,"startAt":\#(start + seconds)"#)
            store.receive(seconds, "a", "trace/swing", trace(at: start + seconds))
            store.receive(seconds, "a", "gap", #""stream":"submersion","unit":"frames","expected":\#(index),"receivedCount":0"#)
        }
        let history = try store.history("a")
        let depths = try #require((history["plots"] as? [String: [String: Any]])?["depth-state"])
        let values = try #require(depths["values"] as? [[Double?]])
        #expect(depths["fields"] as? [String] == ["depth", "rawValue"])
        #expect(values.first == [45, 46, 47, 48, 49, 50] && values.last?.count == 6)
        #expect((depths["at"] as? [Double])?.count == 6 && (depths["valid"] as? [Int])?.count == 6)
        #expect(try store.messages("a", "swing")?.count == 4)
        #expect(try store.messages("a", "trace/swing")?.last?["swingAt"] as? Double == start + 49)
        #expect(try store.messages("a", "trace/swing")?.count == 4)
        #expect((history["timeline"] as? [Any])?.count == 5)
    }

    @Test("Of too many devices the one with the oldest last message goes, and viewers are notified, even if it returns at once")
    func evicted() throws {
        var limits = FleetLimits()
        limits.devices = 3
        var store = FleetStore(limits: limits)
        for (seconds, id) in zip([0.0, 1, 2, 3, 4], ["a", "b", "c", "a", "d"]) {
            store.receive(seconds, id, "connection/device", #""state":"connected""#)
        }
        #expect(store.deviceIDs == ["a", "c", "d"])
        store.receive(5, "b", "connection/device", #""state":"connected""#)
        #expect(store.deviceIDs == ["a", "b", "d"])
        let sent = store.takeChanges(at: start + 5)
        let changes = try #require(sent.flatMap(parsed))
        #expect(changes["removed"] as? [String] == ["b", "c"])
        #expect(ids(sent) == ["a", "b", "d"])
    }

    @Test("Of many devices a fiftieth is removed at once, as each removal looks at all of them; of those with an alarm only one")
    func evictedTogether() {
        var limits = FleetLimits()
        limits.devices = 100
        var store = FleetStore(limits: limits)
        let raised = #""alarm":"past-limit","severity":"critical","state":"raised","since":\#(start)"#
        for number in 0...100 { store.receive(Double(number), "d\(number)", "connection/device", #""state":"connected""#) }
        #expect(store.deviceIDs.count == 99)
        #expect(!store.deviceIDs.contains("d0") && !store.deviceIDs.contains("d1"))
        for id in store.deviceIDs { store.receive(200, id, "alarm/past-limit", raised) }
        for (index, id) in ["x", "y", "z"].enumerated() { store.receive(Double(201 + index), id, "alarm/past-limit", raised) }
        #expect(store.deviceIDs.count == 100)
        #expect(Set(["x", "y", "z"]).isSubset(of: store.deviceIDs))
    }

    @Test("A rejected frame is kept with its pointer and the beginning of its payload")
    func rejected() throws {
        var limits = FleetLimits()
        limits.rejectedPayload = 10
        var store = FleetStore(limits: limits)
        let payload = Data(repeating: 0x61, count: 300).base64EncodedString()
        store.receive(
            0, "a", "rejected", #""reason":"missingField","pointer":"/boot","detail":"no boot","count":4,"payload":"\#(payload)""#
        )
        #expect(try store.row("a")["rejected"] as? Int == 4)
        let history = try store.history("a")
        let entry = try #require((history["timeline"] as? [[String: Any]])?.first)
        #expect(entry["pointer"] as? String == "/boot")
        #expect(entry["payload"] as? String == "YWFhYWFh")
        #expect(entry["text"] as? String == "frame rejected, missing field: no boot")
    }

    @Test("Gateways have their state and what they rejected of no known device")
    func gateways() throws {
        var store = FleetStore()
        func send(_ topic: String, _ json: String) { store.receive(topic: topic, payload: Array(json.utf8), at: start) }
        send("fathom/pool/status", #"{"state":"online","at":\#(start),"ingress":"connected"}"#)
        send("fathom/pool/rejected", #"{"reason":"unknownDevice","topic":"wearables/x/in/status","count":2}"#)
        send("fathom/pool/status", #"{"state":"offline"}"#)
        send("fathom/pool/heartbeat/safety", "{}")
        var json = JSONWriter()
        json.object { store.encodeAll(into: &$0) }
        let gateway = try #require((parsed(json.bytes)?["gateways"] as? [[String: Any]])?.first)
        #expect(gateway["name"] as? String == "pool")
        #expect(gateway["state"] as? String == "offline")
        #expect(gateway["rejected"] as? Int == 2)
        #expect((gateway["timeline"] as? [Any])?.count == 3)
    }

    @Test(
        "What is no derived message changes nothing, whatever it is",
        arguments: [
            "[]", "nonsense", "{", "\u{FEFF}{}", #"{"at":1e999}"#, #"{"rawValue":9223372036854775808,"depth":"deep"}"#,
            #"{"count":-9223372036854775808,"expected":9223372036854775807,"receivedCount":-9}"#,
        ])
    func hostile(_ payload: String) {
        var store = FleetStore()
        for kind in [
            "depth-state", "swing", "trace/swing", "gap", "rejected", "head-pose", "x", "access/submersion", "connection/device",
            "set", "session/swing", "tremor", "dyskinesia", "wear",
        ] {
            store.receive(topic: "wearables/a/out/\(kind)", payload: Array(payload.utf8), at: start)
        }
        for topic in ["", "wearables", "wearables//out/gap", "fathom/x/status", "fathom/x/rejected", "a/b/c"] {
            store.receive(topic: topic, payload: Array(payload.utf8), at: start)
        }
        if let changes = store.takeChanges(at: start) { #expect(parsed(changes) != nil) }
        for id in store.deviceIDs { #expect(store.device(id).flatMap(parsed) != nil) }
    }

    @Test("Of paths with any text, no more than a limit are kept")
    func manyPaths() throws {
        let kite = KindDescription(
            name: "kite/{line}", isRetained: true, fields: [.init(name: "pull")],
            view: KindView(
                cell: .init(ViewColumn("pull", "Pull")) { [.text($0["pull", 0])] },
                details: [.plot(["pull"]), .messages(2)]))
        var store = FleetStore(kinds: DeclaredKinds([kite]))
        for number in 0..<1_000 { store.receive(Double(number), "k", "kite/\(number)", #""pull":1"#) }
        #expect(try store.cells("k", "pull").count == 64)
        let history = try store.history("k")
        #expect((history["plots"] as? [String: Any])?.count == 64 && (history["messages"] as? [String: Any])?.count == 64)
    }

    @Test("A payload beyond the limit is not read")
    func tooLong() {
        var store = FleetStore()
        let filling = String(repeating: "x", count: FleetLimits().payloadBytes)
        store.receive(0, "a", "gap", #""stream":"\#(filling)""#)
        #expect(store.deviceIDs.isEmpty)
        #expect(store.unreadable == 1)
    }

    private func ids(_ changes: [UInt8]?) -> [String] {
        let devices = changes.flatMap(parsed)?["devices"] as? [[String: Any]] ?? []
        return devices.compactMap { $0["id"] as? String }
    }

    private func trace(at time: Double) -> String {
        #""swingAt":\#(time),"startAt":\#(time - 0.2),"impactAt":null,"from":\#(time - 0.7),"#
            + #""acceleration":{"interval":0.00125,"scale":0.01,"values":[1,null,3]},"rotationRate":{"interval":0.005,"scale":0.001,"values":[]}"#
    }
}
