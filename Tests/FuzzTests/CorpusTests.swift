import FuzzTargets
import GatewayTestSupport
import Testing

internal import Foundation

// One after another: a process has one file for each kind of input.
@Suite("Fuzz corpus", .serialized)
struct CorpusTests {
    @Test("No input of the corpus breaks an invariant", .slow, arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) throws {
        let folder = FuzzFiles.corpus(of: target)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(!files.isEmpty)
        for file in files { target.run(Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))) }
    }

    @Test("Damaged inputs of the corpus break no invariant", .slow, arguments: FuzzTarget.allCases)
    func damaged(target: FuzzTarget) throws {
        let folder = FuzzFiles.corpus(of: target)
        var random = SeededGenerator(seed: 1)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let input = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))
            for _ in 0..<8 { target.run(random.damaged(input)) }
        }
    }

    /// As many as `FATHOM_FUZZ_RUNS` says.
    @Test("A device that means harm changes nothing of the one beside it, whatever it sends", .slow)
    func plans() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<(ProcessInfo.processInfo.environment["FATHOM_FUZZ_RUNS"].flatMap(Int.init) ?? 60) {
            let count = Int.random(in: 16...512, using: &random)
            FuzzTarget.neighbour.run((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
    }
}

extension SeededGenerator {
    /// `input` with a byte replaced, inserted or removed in some places, or cut off.
    fileprivate mutating func damaged(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            switch next() % 4 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 1: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
            case 2: bytes.remove(at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
