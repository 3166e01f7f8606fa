import GatewayConfiguration
import GatewayTestSupport
import Testing

@testable import GatewayRuntime

/// A registry file that is written in place, in pieces, on a clock of its own.
private struct RegistryWriter {
    /// A state of the file, and from when.
    struct Piece {
        var at: Double
        var stamp: TextFile.Stamp
        /// Nil where the file is cut within a line.
        var registry: Registry?
    }

    private var chance: SeededGenerator
    private var time = 0.0
    private var writes = 0
    /// The devices of the last whole file, in the order of their lines.
    private(set) var devices = (0..<12).map { "d\($0)" }
    private(set) var pieces: [Piece] = []
    /// The last whole file, and when it was.
    private(set) var whole: (registry: Registry, at: Double)

    init(seed: UInt64) {
        chance = SeededGenerator(seed: seed)
        whole = (Self.registry(devices[...]), 0)
        add(devices.count, isCut: false)
    }

    private static func registry(_ devices: ArraySlice<String>) -> Registry {
        var registry = Registry()
        for device in devices { registry.devices[device] = RegistryEntry() }
        return registry
    }

    private mutating func add(_ lines: Int, isCut: Bool) {
        let size = 40 * lines + (isCut ? 20 : 0)
        pieces.append(
            Piece(
                at: time, stamp: .init(inode: 1, size: size, modified: Int(time * 1e9)),
                registry: isCut || lines == 0 ? nil : Self.registry(devices[..<lines])))
    }

    /// Writes the file once, `pause` seconds after the last write: often with a device more or less.
    mutating func write(after pause: Double) {
        time += pause
        writes += 1
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: devices.append("n\(writes)")
        case 1 where devices.count > 2: devices.remove(at: Int.random(in: 0..<devices.count, using: &chance))
        default: break
        }
        var lines = 0
        while lines < devices.count {
            let isCut = lines > 0 && Bool.random(using: &chance)
            add(lines, isCut: isCut)
            time += Bool.random(using: &chance) ? 2 : Double.random(in: 0.001...2, using: &chance)
            // Often the cut is one line before the end.
            lines =
                Bool.random(using: &chance)
                ? max(lines + 1, devices.count - 1) : Int.random(in: (lines + 1)...devices.count, using: &chance)
        }
        add(devices.count, isCut: false)
        whole = (Self.registry(devices[...]), time)
    }

    /// The file at an instant.
    func piece(at instant: Double) -> Piece? { pieces.last { $0.at <= instant } }

    /// Forgets what was before an instant.
    mutating func forget(before instant: Double) {
        if let first = pieces.lastIndex(where: { $0.at <= instant }) { pieces.removeFirst(first) }
    }
}

@Suite("A registry file that is written in place")
struct RegistryWriterTests {
    /// Writes of all runs together.
    private static let writes = 10_000

    @Test("Of 10,000 writes in pieces, with pauses up to 2 s, only whole files are in force, each within 10 s", arguments: 0..<10)
    func pieces(seed: Int) {
        var chance = SeededGenerator(seed: UInt64(seed) &+ 1_000)
        var writer = RegistryWriter(seed: UInt64(seed))
        var turns = RegistryTurns(inForce: writer.whole.registry)
        var tick = 0.0
        var replaced = 0
        for _ in 0..<(Self.writes / 10) {
            let before = writer.whole
            writer.write(after: Double.random(in: 0.001...24, using: &chance))
            let begins = writer.pieces.first { $0.at > before.at }?.at ?? before.at
            while tick < writer.whole.at {
                // A machine under load looks late, and reads for a while.
                tick += 1
                let now = tick + Double.random(in: 0...0.4, using: &chance)
                if now >= before.at + 10, now < begins {
                    #expect(turns.inForce == before.registry, "10 s after a whole file, at \(now)")
                }
                guard let file = writer.piece(at: now), turns.look(file.stamp, at: now) == .read else { continue }
                let read = writer.piece(at: now + Double.random(in: 0...0.3, using: &chance))
                let after = writer.piece(at: now + 0.3)
                if case .replace(let registry) = turns.finish(read?.registry, after: after?.stamp) {
                    replaced += 1
                    let isWhole = registry == before.registry || registry == writer.whole.registry
                    #expect(isWhole, "a file in pieces was put into force at \(now)")
                }
                turns.end()
            }
            writer.forget(before: before.at - 1)
        }
        #expect(replaced > 100)
    }
}
