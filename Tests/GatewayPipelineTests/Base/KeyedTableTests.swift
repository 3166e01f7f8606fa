import StateCoding
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("Tables by key")
struct KeyedTableTests {
    private typealias Table = KeyedTable<StreamName, [Int]>

    @Test("Values are added, replaced and removed")
    func values() {
        var table: Table = [.submersion: [1], .status: [2]]
        table[.submersion] = [3]
        table[.workout] = [4]
        #expect(table.removeValue(forKey: .status) == [2])
        #expect(table.removeValue(forKey: .status) == nil)
        #expect(Array(table.keys) == [.submersion, .workout])
        #expect(Array(table.values) == [[3], [4]])
        table[.submersion] = nil
        table[.workout] = nil
        #expect(table.isEmpty)
    }

    @Test("A value is changed in place, and added where there is none")
    func changes() {
        var table = Table()
        table[.submersion, default: [1]].append(2)
        table[.submersion, default: [7]].append(3)
        #expect(table[.submersion] == [1, 2, 3])
        #expect(table[.status, default: [9]] == [9])
        #expect(table[.status] == nil)
    }

    @Test("Tables are equal whatever the order of their keys")
    func equality() {
        let table: Table = [.submersion: [1], .status: [2]]
        #expect(table == [.status: [2], .submersion: [1]])
        #expect(table != [.status: [2], .submersion: [3]])
        #expect(table != [.status: [2], .workout: [1]])
        #expect(table != [.status: [2]])
    }

    @Test("What was stored as a dictionary is read as a table, and the other way round")
    func storage() throws {
        let (depth, app) = (SequenceScope(.submersion), SequenceScope(producer: "logger"))
        let dictionary = [depth: [1], app: [2, 3]]
        let table = try StateCoder.decode(KeyedTable<SequenceScope, [Int]>.self, from: StateCoder.encode(dictionary))
        #expect(table == [depth: [1], app: [2, 3]])
        #expect(try StateCoder.decode([SequenceScope: [Int]].self, from: StateCoder.encode(table)) == dictionary)
    }
}
