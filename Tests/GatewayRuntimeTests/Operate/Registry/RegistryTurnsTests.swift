import GatewayConfiguration
import GatewayTestSupport
import LocalBroker
import Testing

@testable import GatewayRuntime

@Suite("When a registry file is read and put into force")
struct RegistryTurnsTests {
    private func stamp(_ size: Int, _ modified: Int) -> TextFile.Stamp { .init(inode: 1, size: size, modified: modified) }

    private func registry(_ devices: String...) -> Registry {
        var registry = Registry()
        for device in devices { registry.devices[device] = RegistryEntry() }
        return registry
    }

    /// Turns in which a file of 1,000 bytes is in force, read at 3 s.
    private func turns(_ inForce: Registry) -> RegistryTurns {
        var turns = RegistryTurns(inForce: inForce)
        for second in 0...2 { #expect(turns.look(stamp(1_000, 0), at: Double(second)) == .wait) }
        #expect(turns.look(stamp(1_000, 0), at: 3) == .read)
        #expect(turns.finish(inForce, after: stamp(1_000, 0)) == .same)
        turns.end()
        return turns
    }

    private func look(_ turns: inout RegistryTurns, _ stamp: TextFile.Stamp?, _ seconds: [Double]) -> [RegistryTurns.Step] {
        seconds.map { turns.look(stamp, at: $0) }
    }

    @Test("A changed file is read when it has been the same for 3 s, and an unchanged one is not")
    func settles() {
        var turns = turns(registry("a"))
        #expect(look(&turns, stamp(1_000, 0), [4, 5, 6, 20]) == [.wait, .wait, .wait, .wait])
        #expect(look(&turns, stamp(1_001, 1), [21, 22, 23]) == [.wait, .wait, .wait])
        #expect(look(&turns, stamp(1_002, 2), [24, 25, 26, 27]) == [.wait, .wait, .wait, .read])
        let new = registry("a", "b")
        #expect(turns.finish(new, after: stamp(1_002, 2)) == .replace(new))
        #expect(turns.inForce == new)
    }

    @Test("A revocation in a file of the same length is in force at the first reading")
    func revocation() {
        var turns = turns(registry("a", "b"))
        _ = look(&turns, stamp(1_005, 1), [4, 5, 6])
        #expect(turns.look(stamp(1_005, 1), at: 7) == .read)
        var new = registry("a", "b")
        new.devices["b"]?.revoked = true
        #expect(turns.finish(new, after: stamp(1_005, 1)) == .replace(new))
    }

    @Test("A device that goes with more than a tenth of the file waits for a second, equal reading")
    func shrunk() {
        var turns = turns(registry("a", "b"))
        _ = look(&turns, stamp(899, 1), [4, 5, 6, 7])
        let short = registry("a")
        #expect(turns.finish(short, after: stamp(899, 1)) == .hold(bytes: 899, formerBytes: 1_000))
        turns.end()
        #expect(look(&turns, stamp(899, 1), [8, 9, 10, 11]) == [.wait, .wait, .wait, .wait])
        #expect(turns.look(stamp(899, 1), at: 12) == .read)
        #expect(turns.finish(short, after: stamp(899, 1)) == .replace(short))
    }

    @Test("A file that is written on during the wait for the second reading changes nothing")
    func grown() {
        let whole = registry("a", "b")
        var turns = turns(whole)
        _ = look(&turns, stamp(500, 1), [4, 5, 6, 7])
        #expect(turns.finish(registry("a"), after: stamp(500, 1)) == .hold(bytes: 500, formerBytes: 1_000))
        turns.end()
        _ = look(&turns, stamp(1_000, 2), [11, 12, 13])
        #expect(turns.look(stamp(1_000, 2), at: 14) == .read)
        #expect(turns.finish(whole, after: stamp(1_000, 2)) == .same)
    }

    @Test("A shorter file that changes nothing for a listed device does not wait")
    func comments() {
        var turns = turns(registry("a"))
        _ = look(&turns, stamp(500, 1), [4, 5, 6, 7])
        let new = registry("a", "b")
        #expect(turns.finish(new, after: stamp(500, 1)) == .replace(new))
    }

    @Test("What was read while the file was written is not used")
    func torn() {
        var turns = turns(registry("a", "b"))
        _ = look(&turns, stamp(999, 1), [4, 5, 6, 7])
        #expect(turns.finish(registry("a"), after: stamp(1_000, 2)) == .discard)
        turns.end()
        #expect(look(&turns, stamp(1_000, 2), [8, 9, 10, 11]) == [.wait, .wait, .wait, .read])
    }

    @Test("A request reads a file that has not changed, but not one that is being written")
    func request() {
        var turns = turns(registry("a"))
        turns.request()
        #expect(turns.look(stamp(1_000, 0), at: 4) == .read)
        _ = turns.finish(registry("a"), after: stamp(1_000, 0))
        turns.end()
        #expect(turns.look(stamp(1_000, 0), at: 5) == .wait)
        turns.request()
        #expect(look(&turns, stamp(1_000, 1), [6, 7, 8, 9]) == [.wait, .wait, .wait, .read])
    }

    @Test("A file with problems is read again after 10 s though it has not changed")
    func problem() {
        var turns = turns(registry("a"))
        _ = look(&turns, nil, [4, 5, 6, 7])
        #expect(turns.finish(nil, after: nil) == .problem)
        turns.end()
        #expect(look(&turns, nil, [8, 16, 17]) == [.wait, .wait, .read])
    }

    @Test("A reload of more than 10 s is reported once, and ends")
    func overdue() {
        var turns = turns(registry("a"))
        _ = look(&turns, stamp(1_000, 1), [4, 5, 6, 7])
        #expect(turns.pendingSince == 4)
        #expect(look(&turns, stamp(1_000, 2), [14, 15, 16]) == [.wait, .overdue, .wait])
        #expect(turns.finish(registry("a"), after: stamp(1_000, 2)) == .discard)
        turns.end()
        #expect(turns.pendingSince == 4)
        // The change during the reload is seen.
        #expect(look(&turns, stamp(1_000, 2), [20]) == [.read])
        let new = registry("a", "b")
        #expect(turns.finish(new, after: stamp(1_000, 2)) == .replace(new))
        turns.end()
        #expect(turns.pendingSince == nil)
    }

    @Test("A file that changes at each look is not read, and is reported after 10 s")
    func neverSettles() {
        var turns = turns(registry("a"))
        let steps = (4...40).map { turns.look(stamp(1_000, $0), at: Double($0)) }
        #expect(steps.firstIndex(of: .overdue) == 11 && steps.filter { $0 != .wait }.count == 1)
        #expect(turns.pendingSince == 4)
        #expect(look(&turns, stamp(1_000, 40), [41, 42, 43]) == [.wait, .wait, .read])
    }

    @Test("Of a file that is written in pieces, in place, nothing is in force but what is whole")
    func file() throws {
        let folder = try TemporaryDirectory()
        func text(_ devices: Int) -> String { "devices:\n" + (1...devices).map { "  d\($0):\n    wrist: left\n" }.joined() }
        let path = try folder.write(text(20), to: "registry.yaml")
        var turns = RegistryTurns(inForce: try #require(Registry.load(file: path).registry))
        var now = 0.0
        var counts: [Int] = []
        func look(_ seconds: Int) {
            for _ in 0..<seconds {
                now += 1
                guard turns.look(TextFile.stamp(path), at: now) == .read else { continue }
                if case .replace(let registry) = turns.finish(Registry.load(file: path).registry, after: TextFile.stamp(path)) {
                    counts.append(registry.devices.count)
                }
                turns.end()
            }
        }
        look(5)
        for devices in [3, 19, 20] {
            _ = try folder.write(text(devices), to: "registry.yaml")
            look(2)
        }
        #expect(counts.isEmpty)
        _ = try folder.write(text(19), to: "registry.yaml")
        look(5)
        #expect(counts == [19])
    }
}
