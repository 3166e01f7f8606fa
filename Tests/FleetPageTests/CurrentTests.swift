@testable import FleetPage
import Foundation
import JSONText
import Testing

@Suite("What the page keeps as current")
struct CurrentTests {
    @Test("What the broker does not send again after another connection is dropped, in the rows of viewers too")
    func unconfirmed() throws {
        var store = FleetStore()
        let alarm = #""id":"a","severity":"critical","state":"raised","since":\#(start)"#
        store.receive(0, "u", "alarm/deep", alarm)
        store.receive(0, "u", "error/submersion", #""id":"e","code":103,"name":"unknown","count":1,"since":\#(start)"#)
        store.receive(0, "v", "alarm/deep", alarm)
        store.note(isConnected: false, at: start + 10)
        store.receive(60, "v", "alarm/deep", alarm)
        store.note(isConnected: true, at: start + 60)
        _ = store.takeChanges(at: start + 69)
        let before = store.takeChanges(at: start + 69.5)
        #expect(before == nil)
        let changes = store.takeChanges(at: start + 70)
        let rows = try #require(parsed(changes ?? [])?["devices"] as? [[String: Any]])
        #expect(rows.map { $0["id"] as? String } == ["u"])
        #expect((rows[0]["alarms"] as? [Any])?.isEmpty == true && rows[0]["error"] is NSNull)
        #expect(try (store.row("v")["alarms"] as? [Any])?.count == 1)
        store.receive(80, "u", "alarm/deep", alarm)
        #expect(try (store.row("u")["alarms"] as? [Any])?.count == 1)
    }

    @Test("A device that no working gateway derives is marked, in its row and in the metrics, until one derives it")
    func otherGateways() throws {
        var store = FleetStore()
        func status(_ seconds: Double, _ gateway: String, _ state: String, _ partition: Int) {
            let status = #"{"state":"\#(state)","at":\#(start + seconds),"partitions":"\#(partition)/2"}"#
            store.receive(topic: "fathom/\(gateway)/status", payload: Array(status.utf8), at: start + seconds)
        }
        /// The devices of the rows that are sent, and whether a gateway derives each.
        func changes(_ seconds: Double) throws -> [String: Bool] {
            let rows = parsed(store.takeChanges(at: start + seconds) ?? [])?["devices"] as? [[String: Any]] ?? []
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["id"] as? String ?? "", $0["hasGateway"] as? Bool ?? false) })
        }
        // By their hashes diver-1 is in partition 1, diver-2 in 0.
        for device in ["diver-1", "diver-2"] { store.receive(0, device, "depth-state", depth("submergedDeep", 300, 3)) }
        #expect(try changes(1) == ["diver-1": true, "diver-2": true])
        status(2, "a", "online", 0)
        status(2, "b", "online", 1)
        #expect(try changes(2) == [:])
        status(3, "a", "offline", 0)
        #expect(try changes(3) == ["diver-2": false])
        let metrics = String(decoding: store.metrics(at: start + 4, isConnected: true), as: UTF8.self)
        for line in [
            "fathom_page_connected 1", #"fathom_device_depth_meters{device="diver-1"} 3"#,
            #"fathom_device_danger{device="diver-1",danger="underWater"} 1"#,
            #"fathom_device_danger{device="diver-2",danger="contactLost"} 1"#,
        ] { #expect(metrics.contains(line), "\(metrics)") }
        #expect(!metrics.contains(#"fathom_device_depth_meters{device="diver-2"}"#))
        status(5, "a", "online", 0)
        #expect(try changes(5) == ["diver-2": true])
        // Without a status for 60 s.
        status(50, "b", "online", 1)
        #expect(try changes(66) == ["diver-2": false])
    }

    @Test("After a clock that was ahead the drawings begin anew")
    func setBack() throws {
        var store = FleetStore()
        for second in [100_000.0, 100_010, 0, 10] {
            store.receive(second, "u", "depth-state", depth("submergedDeep", 300, 3))
        }
        // A minute of tremor may be reported late.
        for second in [100_000.0, 0] { store.receive(second, "u", "tremor", #""none":1,"slight":0"#) }
        let plots = try store.history("u")["plots"] as? [String: [String: Any]]
        #expect(plots?["depth-state"]?["at"] as? [Double] == [start, start + 10])
        #expect(plots?["tremor"]?["at"] as? [Double] == [start + 100_000, start])
        let all = JSONWriter.object { store.encodeAll(into: &$0) }
        let rows = try #require(parsed(all)?["devices"] as? [[String: Any]])
        #expect((rows[0]["trends"] as? [String: [[Double]]])?["depth-state"] == [[start, 3], [start + 10, 3]])
    }

    @Test("A change reports that there are more devices than are kept")
    func full() throws {
        var limits = FleetLimits()
        limits.devices = 2
        var store = FleetStore(limits: limits)
        for (second, device) in ["u", "v"].enumerated() {
            store.receive(Double(second), device, "connection/device", #""state":"connected""#)
        }
        let before = store.takeChanges(at: start + 2)
        #expect(parsed(before ?? [])?["isFull"] as? Bool == false)
        store.receive(3, "w", "connection/device", #""state":"connected""#)
        let changes = store.takeChanges(at: start + 4)
        #expect(parsed(changes ?? [])?["isFull"] as? Bool == true)
        #expect(parsed(JSONWriter.object { store.encodeAll(into: &$0) })?["isFull"] as? Bool == true)
    }

    @Test("With the gateway's clock ahead of the page's, no value is valid for longer and no message is of a later time")
    func gatewayAhead() throws {
        var store = FleetStore()
        let times = #""at":\#(start + 600),"received":\#(start + 600),"validUntil":\#(start + 608)"#
        let message = "{\(times),\(depth("submergedDeep", 300, 3))}"
        store.receive(topic: "wearables/u/out/depth-state", payload: Array(message.utf8), at: start)
        let row = try store.row("u")
        #expect(row["heardAt"] as? Double == start)
        #expect((row["water"] as? [String: Any])?["validUntil"] as? Double == start + 8)
    }

    @Test("A fact says until when it is current")
    func currentFacts() throws {
        var store = FleetStore()
        store.receive(0, "w", "wear", #""state":"worn","since":\#(start),"validUntil":\#(start + 100)"#)
        let groups = try #require(store.row("w")["facts"] as? [[String: Any]])
        let fact = try #require((groups.first?["facts"] as? [[String: Any]])?.first)
        #expect(fact["validUntil"] as? Double == start + 100 && fact["quality"] as? String == "valid")
    }

    @Test("A gateway whose status is cleared is removed; the last one stays, as without one everything would count as current")
    func retired() throws {
        var store = FleetStore()
        func send(_ gateway: String, _ json: String) {
            store.receive(topic: "fathom/\(gateway)/status", payload: Array(json.utf8), at: start)
        }
        func changes() throws -> [String: Any] {
            let sent = store.takeChanges(at: start)
            return try #require(sent.flatMap(parsed))
        }
        send("old", #"{"state":"offline"}"#)
        send("new", #"{"state":"online","at":\#(start)}"#)
        let both = try changes()
        #expect((both["gateways"] as? [Any])?.count == 2)
        send("old", "")
        let cleared = try changes()
        #expect(cleared["removedGateways"] as? [String] == ["old"] && (cleared["gateways"] as? [Any])?.isEmpty == true)
        #expect(store.gatewayNames == ["new"])
        send("new", "")
        let last = store.takeChanges(at: start)
        #expect(store.gatewayNames == ["new"] && last == nil)
    }

    @Test("A cleared message clears what it said")
    func cleared() throws {
        var store = FleetStore()
        store.receive(0, "a", "depth-state", depth("notSubmerged", 100, 0))
        store.receive(0, "a", "connection/device", #""state":"connected""#)
        store.receive(topic: "wearables/a/out/depth-state", payload: [], at: start)
        store.receive(topic: "wearables/a/out/connection/device", payload: [], at: start)
        #expect(try store.row("a")["water"] is NSNull)
        #expect(try store.row("a")["connection"] is NSNull)
        store.receive(topic: "wearables/never/out/depth-state", payload: [], at: start)
        #expect(store.deviceIDs == ["a"])
    }
}
