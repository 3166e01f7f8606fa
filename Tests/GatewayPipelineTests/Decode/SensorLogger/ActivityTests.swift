import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing

/// The phone's barometer and pedometer in the app's envelopes.
@Suite("Barometer and pedometer of the Sensor Logger app")
struct ActivityTests {
    private let start = SensorLoggerPipeline.start

    private func reading(_ name: String, _ time: Double, _ values: String) -> String {
        #"{"name":"\#(name)","time":\#(SensorLoggerApp.nanoseconds(time)),"values":{\#(values)}}"#
    }

    @Test(arguments: [("1013.25", 101.325), ("101.325", 101.325), ("300", 30), ("120", 120)])
    func `A pressure is in mbar or in kPa`(text: String, expected: Double) throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        let messages = harness.send(
            app.message(
                at: start + 1.1,
                others: [
                    reading("barometer", start + 1, #""relativeAltitude":1.5,"pressure":\#(text)"#),
                    reading("barometer", start, #""relativeAltitude":0,"pressure":\#(text)"#),
                ]))
        let altitude = try #require(messages.last { $0.kind == "altitude" })
        #expect(altitude.number("pressure") == expected)
        #expect((altitude.number("relativeAltitude") ?? 0) > 0)
    }

    @Test(arguments: ["200", "29", "121", "1201", "-5"])
    func `A pressure in neither is rejected where it stands`(text: String) throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        let messages = harness.send(
            app.message(at: start + 1.1, others: [reading("barometer", start, #""pressure":\#(text)"#)]))
        let rejected = try #require(messages.first { $0.kind == "rejected" })
        #expect(rejected.text("reason") == "invalidValue")
        #expect(rejected.text("pointer") == "/payload/0/values/pressure")
    }

    @Test func `Steps become paces, with pauses by the steps`() throws {
        var app = SensorLoggerApp()
        var harness = try SensorLoggerPipeline.make()
        var messages: [DerivedJSON] = []
        for second in 0..<60 {
            let steps = min(second, 30) * 2
            messages += harness.send(
                app.message(
                    at: start + Double(second) + 0.1,
                    others: [reading("pedometer", start + Double(second), #""steps":\#(steps)"#)]))
        }
        let paces = messages.filter { $0.kind == "pace" }
        #expect(paces.last?.text("state") == "paused")
        #expect(paces.last?.number("steps") == 60)
        #expect(paces.allSatisfy { $0.isNull("distance") && $0.isNull("movingPace") })
        #expect(messages.filter { $0.kind == "segment" }.compactMap { $0.number("duration") } == [30])
        #expect(messages.allSatisfy { $0.kind != "rejected" })
    }
}
