@testable import FleetPage
@testable import GatewayHTTP
import Foundation
import Testing

@Suite("What viewers are sent")
struct HubTests {
    private let hub = PageHub(store: FleetStore(), startedAt: start)

    private struct Event: Equatable {
        var id: UInt64
        var name: String
        var data: String
    }

    /// The events that wait in a stream.
    private func events(_ stream: EventStream) -> [Event] {
        var events: [Event] = []
        while case .write(let bytes) = stream.next() {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            func value(_ name: String) -> String {
                lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? ""
            }
            events.append(Event(id: UInt64(value("id: ")) ?? 0, name: value("event: "), data: value("data: ")))
        }
        return events
    }

    private func report(_ id: String, _ state: String, at seconds: Double) {
        hub.receive(
            topic: "wearables/\(id)/out/connection/device",
            payload: Array(#"{"state":"\#(state)","at":\#(start + seconds)}"#.utf8), at: start + seconds)
    }

    @Test("First everything, then changes, and a beat every two seconds; ids count up")
    func order() {
        report("a", "connected", at: 0)
        hub.tick(at: start, brokerProblem: nil)
        let viewer = hub.viewer(after: nil, at: start)
        for tenth in 1...45 {
            if tenth == 7 { report("a", "silent", at: 0.7) }
            hub.tick(at: start + Double(tenth) / 10, brokerProblem: nil)
        }
        let received = events(viewer)
        #expect(received.map(\.name) == ["snapshot", "derived", "beat", "beat"])
        #expect(received[0].data.contains(#""connection":"connected""#))
        #expect(received[1].data.contains(#""connection":"silent""#))
        #expect(zip(received, received.dropFirst()).allSatisfy { $0.id < $1.id })
    }

    @Test("What comes before a connection counts as made stays; what does not come again after one is dropped")
    func anotherConnection() {
        report("a", "connected", at: 0)
        report("b", "connected", at: 0)
        hub.tick(at: start + 0.1, brokerProblem: nil)
        hub.tick(at: start + 20, brokerProblem: nil)
        func connected() -> Int {
            hub.everything(at: start).split(separator: UInt8(ascii: "{")).count { row in
                String(decoding: row, as: UTF8.self).contains(#""connection":"connected""#)
            }
        }
        #expect(connected() == 2)
        for problem in ["lost", "connecting"] { hub.tick(at: start + 21, brokerProblem: problem) }
        report("b", "connected", at: 30)
        hub.tick(at: start + 30, brokerProblem: nil)
        hub.tick(at: start + 39, brokerProblem: nil)
        #expect(connected() == 2)
        hub.tick(at: start + 41, brokerProblem: nil)
        #expect(connected() == 1)
    }

    @Test("A viewer that comes back gets what it missed, or everything where that is not kept")
    func resumed() throws {
        let first = hub.viewer(after: nil, at: start)
        hub.tick(at: start, brokerProblem: nil)
        let sent = events(first)
        let last = try #require(sent.last)
        report("a", "connected", at: 1)
        hub.tick(at: start + 1, brokerProblem: nil)
        let missed = events(hub.viewer(after: last.id, at: start + 1))
        #expect(missed.map(\.name) == ["derived"])
        #expect(events(hub.viewer(after: missed[0].id, at: start + 1)).isEmpty)
        for id in [0, 1, missed[0].id + 1, .max] {
            #expect(events(hub.viewer(after: id, at: start + 1)).map(\.name) == ["snapshot"])
        }
        for second in 2..<400 { hub.tick(at: start + Double(second) * 2, brokerProblem: nil) }
        #expect(events(hub.viewer(after: last.id, at: start + 900)).map(\.name) == ["snapshot"])
    }

    @Test("A viewer that does not read is cut off at 256 events; another gets all of them")
    func overflow() {
        let slow = hub.viewer(after: nil, at: start)
        let fast = hub.viewer(after: nil, at: start)
        var received = events(fast).count
        for index in 0..<300 {
            report("a", index.isMultiple(of: 2) ? "connected" : "silent", at: Double(index) / 1_000)
            hub.tick(at: start + Double(index) / 1_000, brokerProblem: nil)
            received += events(fast).count
            #expect(slow.hasEnded == (index >= 254))
        }
        #expect(received == 302)
        #expect(!fast.hasEnded)
        #expect(slow.next() == .cut)
    }

    @Test("A lost connection to the broker is sent at once")
    func broker() {
        hub.tick(at: start, brokerProblem: nil)
        let viewer = hub.viewer(after: nil, at: start)
        hub.tick(at: start + 0.1, brokerProblem: "lost")
        let received = events(viewer)
        #expect(received.map(\.name) == ["snapshot", "beat"])
        #expect(received[0].data.contains(#""brokerProblem":null"#))
        #expect(received[1].data.contains(#""brokerProblem":"lost""#))
        #expect(hub.brokerProblem == "lost")
    }

    @Test("Ids of a later run are above those of an earlier one")
    func runs() throws {
        let earlier = events(hub.viewer(after: nil, at: start))
        let hub = PageHub(store: FleetStore(), startedAt: start + 1)
        let later = events(hub.viewer(after: nil, at: start))
        let (first, second) = (try #require(earlier.first), try #require(later.first))
        #expect(second.id > first.id)
    }
}
