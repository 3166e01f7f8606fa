import FleetPage
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

    @Test("A fact says until when it is current")
    func currentFacts() throws {
        var store = FleetStore()
        store.receive(0, "w", "wear", #""state":"worn","since":\#(start),"validUntil":\#(start + 100)"#)
        let groups = try #require(store.row("w")["facts"] as? [[String: Any]])
        let fact = try #require((groups.first?["facts"] as? [[String: Any]])?.first)
        #expect(fact["validUntil"] as? Double == start + 100 && fact["quality"] as? String == "valid")
    }
}
