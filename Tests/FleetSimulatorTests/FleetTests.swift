import FleetSimulator
import GatewayTestSupport
import Testing
import WearableFrames

@Suite("A fleet")
struct FleetTests {
    @Test("takes the kinds in turn and gives every device its own id")
    func ids() {
        let fleet = Fleet(kinds: [.headphones, .batter], count: 5, startingAt: start)
        #expect(fleet.devices.map(\.origin.device) == ["pods-1", "batter-1", "pods-2", "batter-2", "pods-3"])
        #expect(Set(fleet.devices.map(\.origin.boot)).count == 5)
    }

    @Test("of another run has other boots and the same frames; of the same run and seed the same of both")
    func runs() {
        func messages(run: UInt64) -> [SimulatedMessage] {
            Array(Fleet(kinds: [.headphones, .batter, .diver], count: 3, startingAt: start, duration: 3, seed: 4, run: run))
        }
        func boots(run: UInt64) -> [String] {
            Fleet(kinds: DeviceKind.allCases, count: 20, startingAt: start, seed: 4, run: run).devices.map(\.origin.boot)
        }
        #expect(messages(run: 0).map(\.payload) == messages(run: 0).map(\.payload))
        #expect(Set(boots(run: 0) + boots(run: 7) + boots(run: .max)).count == 60)
        #expect(messages(run: 7).map(\.at) == messages(run: 0).map(\.at))
        #expect(messages(run: 7).map(\.payload.count) == messages(run: 0).map(\.payload.count))
    }

    @Test("never ends without a duration, and keeps the order", .slow)
    func endless() {
        let fleet = Fleet(kinds: [.headphones, .diver, .watch], count: 30, startingAt: start)
        let times = fleet.prefix(20_000).map(\.at)
        #expect(times.count == 20_000)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("returns when its next message is due without taking it")
    func nextInstant() {
        var fleet = Fleet(kinds: DeviceKind.allCases, count: 8, startingAt: start, duration: 3)
        while let instant = fleet.nextInstant {
            let message = fleet.next()
            #expect(message?.at == instant)
        }
        let beyond = fleet.next()
        #expect(beyond == nil)
    }

    @Test("ends each device that is online when it is stopped: its workout, then its connection")
    func stopped() throws {
        var fleet = Fleet(kinds: [.lifter, .headphones], count: 2, startingAt: start)
        var waiting = fleet
        let none = waiting.stop(at: start)
        #expect(none.isEmpty && waiting.nextInstant == nil)
        while let instant = fleet.nextInstant, instant < start + 5 { _ = fleet.next() }
        let frames = try fleet.stop(at: start + 5).frames()
        #expect(
            frames.map { "\($0.message.device) \($0.message.stream.rawValue) \($0.string("state") ?? "")" } == [
                "lifter-1 workout ended", "lifter-1 status offline", "pods-1 status offline",
            ])
        #expect(frames.allSatisfy { $0.message.retain && abs($0.message.at - start - 5) < 1e-3 })
        let more = fleet.next()
        #expect(more == nil)
        // One that has gone offline by itself is not ended again.
        var ended = Fleet(kinds: [.lifter], count: 1, startingAt: start, duration: 2)
        let end = ended.end
        while ended.next() != nil {}
        let again = ended.stop(at: end + 1)
        #expect(again.isEmpty && end > start + 2 && end < start + 3)
    }

    @Test("reads kinds separated by commas")
    func kinds() throws {
        #expect(try DeviceKind.list("headphones, batter,diver") == [.headphones, .batter, .diver])
        #expect(throws: FleetError.unknownKind("shoes")) { try DeviceKind.list("batter,shoes") }
        #expect(throws: FleetError.unknownKind("")) { try DeviceKind.list("") }
    }

    @Test("of no kinds, or of no devices, is empty")
    func empty() {
        #expect(Array(Fleet(kinds: [], count: 3, startingAt: start)).isEmpty)
        #expect(Array(Fleet(kinds: [.batter], count: 0, startingAt: start)).isEmpty)
    }

    @Test("simulates the demo: all five devices connect and disconnect within 40 s", .slow)
    func demo() throws {
        let frames = try Fleet.demo(startingAt: start).frames()
        let statuses = frames.filter { $0.message.stream == .status }
        #expect(
            statuses.map { $0.string("state") } == Array(repeating: "online", count: 5) + Array(repeating: "offline", count: 5))
        #expect(statuses.allSatisfy { $0.message.retain })
        #expect(Set(frames.map(\.message.device)) == ["pods-1", "batter-1", "ultra-1", "watch-1", "runner-1"])
        #expect(frames.allSatisfy { $0.message.at <= start + 40 })
        let batter = try #require(Fleet.demo(startingAt: start).devices.compactMap { $0 as? Batter }.first)
        let truth = batter.truth(through: 40)
        #expect(truth.count { $0.impact != nil } == 3)
        #expect(truth.count { $0.impact == nil } == 2)
    }

    @Test("repeats the demo when it is longer", .slow)
    func longDemo() throws {
        let connections = try Fleet.demo(startingAt: start, duration: 70).frames(.headphoneConnection)
        #expect(
            connections.map { $0.string("event") } == [
                "didConnect", "didDisconnect", "didConnect", "didDisconnect", "didConnect",
            ])
    }
}
