import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("The costliest devices")
struct CostliestDevicesTests {
    private func usage(_ units: Double, _ budget: BudgetName = .motion) -> Usage {
        Usage(
            budget: budget, units: units, limit: 400, bytes: 0, samples: 0, frames: 0, refused: 0, busiest: nil,
            isClockTooFast: false)
    }

    private func name(_ number: Int) throws -> DeviceID { try #require(DeviceID("d\(number)")) }

    @Test("the last minute of each device counts, over its budgets and lanes; the most comes first")
    func order() throws {
        var costliest = CostliestDevices()
        for number in 0..<10 { costliest.note(usage(Double(number)), of: try name(number), at: 100) }
        costliest.note(usage(2), of: try name(9), at: 160)
        var bulk = CostliestDevices()
        bulk.note(usage(5.5, .bulk), of: try name(3), at: 150)
        let first = (costliest + bulk).first(3, at: 170)
        #expect(first.map(\.device.rawValue) == ["d3", "d8", "d7"])
        #expect(first.map(\.units) == [8.5, 8, 7])
    }

    @Test("a device that sends nothing any more is left out after some minutes, and memory is bounded")
    func bound() throws {
        var costliest = CostliestDevices()
        for number in 0..<10_000 { costliest.note(usage(Double(number % 977)), of: try name(number), at: 100) }
        #expect(costliest.first(.max, at: 100).count <= 32)
        #expect(costliest.first(5, at: 100).allSatisfy { $0.units == 976 })
        #expect(costliest.first(5, at: 300).isEmpty)
    }
}
