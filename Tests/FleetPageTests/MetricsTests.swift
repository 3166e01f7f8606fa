import FleetPage
import Testing

@Suite("The page's metrics of each device")
struct MetricsTests {
    private func lines(_ store: FleetStore, at seconds: Double, isConnected: Bool = true) -> [String] {
        String(decoding: store.metrics(at: start + seconds, isConnected: isConnected), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    private var diver: FleetStore {
        var store = FleetStore()
        store.receive(0, "ultra-1", "connection/device", #""kind":"connection/device","state":"connected","cause":"dataResumed""#)
        store.receive(
            1, "ultra-1", "depth-state", #""kind":"depth-state","validUntil":\#(start + 6),"# + depth("submergedDeep", 300, 5.5))
        return store
    }

    @Test("A diver has its depth, limit, connection and danger, under its device")
    func depths() {
        let lines = lines(diver, at: 2)
        #expect(lines.contains(#"fathom_device_depth_meters{device="ultra-1"} 5.5"#), "\(lines)")
        #expect(lines.contains(#"fathom_device_maximum_depth_meters{device="ultra-1"} 6"#))
        #expect(lines.contains(#"fathom_device_connected{device="ultra-1"} 1"#) && lines.contains("fathom_page_connected 1"))
        #expect(lines.contains(#"fathom_device_danger{device="ultra-1",danger="underWater"} 1"#))
        #expect(lines.contains(#"fathom_device_heard_timestamp_seconds{device="ultra-1"} \#(Int(start) + 1)"#))
    }

    @Test("A depth that is no longer current, or was received before the broker went away, is no value")
    func stale() {
        for lines in [lines(diver, at: 7), lines(diver, at: 2, isConnected: false)] {
            #expect(
                !lines.contains { $0.hasPrefix("fathom_device_depth_meters") || $0.hasPrefix("fathom_device_value") }, "\(lines)")
            #expect(lines.contains(#"fathom_device_danger{device="ultra-1",danger="contactLost"} 1"#), "\(lines)")
        }
        #expect(lines(diver, at: 2, isConnected: false).contains("fathom_page_connected 0"))
    }

    @Test("A depth that the broker does not send again after another connection is no value of any metric")
    func doubted() {
        var store = FleetStore()
        store.receive(1, "ultra-1", "depth-state", #""kind":"depth-state","# + depth("submergedDeep", 300, 5.5))
        #expect(lines(store, at: 2).contains(#"fathom_device_value{device="ultra-1",kind="depth-state",field="depth"} 5.5"#))
        store.note(isConnected: false, at: start + 2)
        store.note(isConnected: true, at: start + 3)
        _ = store.takeChanges(at: start + 14)
        let later = lines(store, at: 15)
        #expect(
            !later.contains { $0.hasPrefix("fathom_device_depth_meters{") || $0.hasPrefix("fathom_device_value{") }, "\(later)")
        #expect(later.contains(#"fathom_device_danger{device="ultra-1",danger="contactLost"} 1"#), "\(later)")
    }

    @Test("While no gateway works nothing is current, whatever the time that the gateway's clock shows", arguments: [0.0, 3_600])
    func deadGateway(ahead: Double) {
        var store = diver
        let status = #"{"kind":"status","state":"online","at":\#(start + 1 + ahead)}"#
        store.receive(topic: "fathom/pool/status", payload: Array(status.utf8), at: start + 1)
        #expect(lines(store, at: 2).contains("fathom_page_connected 1"))
        let later = lines(store, at: 62)
        #expect(later.contains("fathom_page_connected 0"))
        #expect(later.contains(#"fathom_device_connected{device="ultra-1"} 0"#))
    }

    @Test("A name that means harm is a text, and a page without devices is well formed")
    func hostile() {
        var store = FleetStore()
        store.receive(0, #"a"} 1\n"#, "connection/device", #""kind":"connection/device","state":"connected""#)
        for line in lines(store, at: 1) where !line.hasPrefix("#") {
            #expect(line.hasSuffix(" 1") || line.contains("_timestamp_") || line.hasSuffix(" 0"))
        }
        #expect(lines(FleetStore(), at: 0).filter { !$0.hasPrefix("#") } == ["fathom_page_connected 1"])
    }
}
