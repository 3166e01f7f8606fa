@testable import FleetPage
import Foundation
import GatewayPipeline
import JSONText
import LiveView
import Testing

@Suite("Series on the page")
struct SeriesTests {
    @Test("A series is drawn: the row has its last sample, the line of the table all, while a single pose is known")
    func series() throws {
        var store = FleetStore()
        func series(_ seconds: Double, yaw: [Double]) {
            let times = yaw.indices.map { "\(start + seconds - 0.1 * Double(yaw.count - 1 - $0))" }.joined(separator: ",")
            let zeros = yaw.map { _ in "0" }.joined(separator: ",")
            store.receive(
                seconds, "pods", "head-pose/series",
                #""timestamp":[\#(times)],"yaw":\#(yaw),"pitch":[\#(zeros)],"roll":[\#(zeros)],"sensorLocation":"headphoneLeft""#)
        }
        series(0, yaw: [0.5, 0.6])
        #expect(try (store.row("pods")["latest"] as? [String: Any])?.isEmpty == true)
        store.receive(0.1, "pods", "head-pose", #""yaw":0.25,"pitch":0,"roll":0,"validUntil":\#(start + 3.1)"#)
        series(8, yaw: (0...79).map { Double($0) / 100 })
        let latest = try #require(try store.row("pods")["latest"] as? [String: [String: Any]])
        #expect(Set(latest.keys) == ["head-pose"])
        let pose = try #require(latest["head-pose"])
        #expect(pose["yaw"] as? Double == 0.79 && pose["at"] as? Double == start + 8 && pose["timestamp"] == nil)
        #expect(pose["validUntil"] as? Double == start + 11)
        let all = JSONWriter.object { store.encodeAll(into: &$0) }
        let rows = try #require(parsed(all)?["devices"] as? [[String: Any]])
        let trends = try #require(rows[0]["trends"] as? [String: [[Double]]])
        #expect(trends["head-pose"]?.map { ($0[0] - start).rounded() } == [0, 5])
        // An older one changes nothing.
        series(7, yaw: [1])
        #expect(((try store.row("pods")["latest"] as? [String: [String: Any]])?["head-pose"])?["yaw"] as? Double == 0.79)
    }
}
