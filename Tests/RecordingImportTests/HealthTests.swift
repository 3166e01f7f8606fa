import Foundation
import RecordingImport
import Testing

@Suite("Import of Apple Health")
struct HealthTests {
    private static let watch = "Anna\u{2019}s Apple\u{00A0}Watch"

    private func export(_ elements: [String], head: String = "<ExportDate value=\"2026-01-10 08:00:00 +0100\"/>") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 12 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
        <!ATTLIST Record type CDATA #REQUIRED>
        ]>
        <HealthData locale="en_GB">
         \(head)
         <Me HKCharacteristicTypeIdentifierDateOfBirth=""/>
        \(elements.joined(separator: "\n"))
        </HealthData>
        """
    }

    private func record(
        _ type: String, _ value: String, unit: String, _ start: String, _ end: String? = nil, source: String = watch
    ) -> String {
        """
        <Record type="HKQuantityTypeIdentifier\(type)" sourceName="\(source)" unit="\(unit)" creationDate="2026-01-02 10:00:00 +0100" \
        startDate="2026-01-02 10:\(start) +0100" endDate="2026-01-02 10:\(end ?? start) +0100" value="\(value)"><MetadataEntry key="a" \
        value="b"/></Record>
        """
    }

    @Test("becomes depths and water temperatures, steps with their distance, and workouts, of each source a device")
    func streams() throws {
        let workout = """
            <Workout workoutActivityType="HKWorkoutActivityTypeUnderwaterDiving" duration="5" sourceName="\(Self.watch)" \
            startDate="2026-01-02 10:00:00 +0100" endDate="2026-01-02 10:05:00 +0100"><WorkoutEvent type="HKWorkoutEventTypePause" \
            date="2026-01-02 10:02:00 +0100"/><WorkoutEvent type="HKWorkoutEventTypeResume" date="2026-01-02 10:03:00 +0100"/>\
            <WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-01-02 10:04:00 +0100"/></Workout>
            """
        let result = try imported(
            .appleHealth,
            text: export([
                record("HeartRate", "70", unit: "count/min", "00:00"),
                record("UnderwaterDepth", "3.5", unit: "m", "01:02"), record("UnderwaterDepth", "2.25", unit: "m", "01:01"),
                record("WaterTemperature", "18.5", unit: "degC", "01:01"),
                record("StepCount", "40", unit: "count", "10:00", "10:30"),
                record("StepCount", "20", unit: "count", "09:00", "09:20"),
                record("DistanceWalkingRunning", "0.03", unit: "km", "10:00", "10:30"),
                record("StepCount", "7", unit: "count", "10:00", "10:30", source: "iPhone"), workout,
            ]))
        #expect(result.report.isClean, "\(result.notes)")
        let device = "d1-anna-s-apple-watch"
        #expect(result.has("is the device \(device)") && result.has("\"iPhone\" is the device d1-iphone"))
        let water = result.payloads("submersion", device: device)
        let measured = water.flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
        #expect(measured.compactMap { ($0["depth"] as? [String: Any])?["value"] as? Double } == [2.25, 3.5])
        #expect(water.compactMap { $0["sent"] as? Double } == [1_767_344_461, 1_767_344_462])
        #expect(water.first?["temperatures"] != nil)

        let counts = result.payloads("pedometer", device: device).flatMap { $0["data"] as? [[String: Any]] ?? [] }
        #expect(counts.compactMap { $0["numberOfSteps"] as? Int } == [0, 20, 20, 60])
        #expect(counts.compactMap { $0["distance"] as? Double } == [0, 0, 0, 30])
        let ends = [540, 560, 600, 630].map { 1_767_344_400 + Double($0) }
        #expect(counts.compactMap { $0["endDate"] as? Double } == ends)
        #expect(Set(counts.compactMap { $0["startDate"] as? Double }) == [1_767_344_400])
        let phone = result.payloads("pedometer", device: "d1-iphone").flatMap { $0["data"] as? [[String: Any]] ?? [] }
        #expect(phone.compactMap { $0["numberOfSteps"] as? Int } == [0, 7])
        #expect(phone.allSatisfy { $0["distance"] == nil })

        let states = result.payloads("workout", device: device)
        #expect(states.compactMap { $0["state"] as? String } == ["running", "paused", "running", "ended"])
        #expect(states.allSatisfy { $0["activity"] as? String == "underwaterDiving" })
        #expect(states.compactMap { $0["sent"] as? Double } == [0, 120, 180, 300].map { 1_767_344_400 + $0 })
        #expect(
            result.lines.filter { ($0["topic"] as? String ?? "").hasSuffix("/workout") }.allSatisfy {
                $0["retain"] as? Bool == true
            })
    }

    @Test("loses a record that is wrong, and none beside it")
    func faults() throws {
        let result = try imported(
            .appleHealth,
            text: export([
                record("UnderwaterDepth", "1", unit: "m", "01:00"), record("UnderwaterDepth", "deep", unit: "m", "01:01"),
                record("UnderwaterDepth", "2", unit: "fathom", "01:02"), record("UnderwaterDepth", "3", unit: "m", "99:00"),
                record("UnderwaterDepth", "4", unit: "m", "01:03").replacing("2026-01-02 10:01:03", with: "2031-01-02 10:01:03"),
                record("UnderwaterDepth", "5", unit: "m", "01:09", "01:03"), record("UnderwaterDepth", "6", unit: "m", "01:04"),
            ]))
        let measured = result.payloads("submersion").flatMap { $0["measurements"] as? [[String: Any]] ?? [] }
        #expect(measured.compactMap { ($0["depth"] as? [String: Any])?["value"] as? Double } == [1, 6])
        #expect(result.report.files.first?.dropped.values.sorted() == [1, 1, 1, 2], "\(result.notes)")
        #expect(result.has("log.csv:11: the value \"deep\" is no number"))
        #expect(result.has("\"fathom\" is no unit of \"UnderwaterDepth\""))
    }

    @Test("reports an export that holds nothing, that is cut short, and of which a stream cannot be read")
    func problems() throws {
        #expect(try imported(.appleHealth, text: export([])).has("holds no depth, water temperature, step"))
        let whole = export([
            record("UnderwaterDepth", "1", unit: "m", "01:00"), record("UnderwaterDepth", "2", unit: "m", "01:01"),
        ])
        let cut = try imported(.appleHealth, text: String(whole.dropLast(150)))
        #expect(cut.has("the XML ends too early") && cut.report.problems == 1)
        #expect(cut.report.files.first?.samples == 1)
        let steps = try imported(
            .appleHealth,
            text: export([record("UnderwaterDepth", "1", unit: "m", "01:00"), record("StepCount", "-1", unit: "count", "01:00")]))
        let redated = try imported(.appleHealth, text: whole) { $0.start = 1_700_000_000 }
        #expect(redated.has("--start is not used") && redated.report.isClean, "\(redated.notes)")
        #expect(steps.has("no record of pedometer of d1-anna-s-apple-watch can be read") && !steps.report.isClean)
    }

    @Test("gives sources of the same letters different devices, and takes --streams")
    func sources() throws {
        let records = ["Ä Watch", "Ö Watch", "", "\u{1F600}"].map {
            record("StepCount", "5", unit: "count", "01:00", "01:30", source: $0)
        }
        let result = try imported(.appleHealth, text: export(records + [record("UnderwaterDepth", "1", unit: "m", "01:00")])) {
            $0.streams = [.pedometer]
        }
        #expect(result.report.files.map(\.device) == ["d1-watch", "d1-watch-2", "d1-source", "d1-source-2"], "\(result.notes)")
        #expect(result.payloads("submersion").isEmpty)
        #expect(
            try imported(.appleHealth, text: export(records)) { $0.streams = [.altimeter] }.has(
                "only submersion, pedometer, workout"))
    }

    @Test("of exports whose records of a device overlap in time the later is left out")
    func overlapping() throws {
        let depths = { (depth: String, starts: [String]) in starts.map { record("UnderwaterDepth", depth, unit: "m", $0) } }
        let files = try Exports(["a.xml": export(depths("1", ["01:00", "05:00"])), "b.xml": export(depths("2", ["03:00"]))])
        let result = try imported(.appleHealth, ["a", "b"].map { "\(files.path)/\($0).xml" })
        #expect(result.has("b.xml: is of the same time of d1-anna-s-apple-watch as"), "\(result.notes)")
        #expect(result.report.files.map(\.samples) == [2])
    }

    @Test("ends a dive where its depths end, and another before the next where they end deep")
    func dives() throws {
        let depths = [("1.5", "00:00"), ("1.2", "00:02"), ("1.1", "10:00"), ("12", "10:30"), ("11", "20:00")]
        let later = record("UnderwaterDepth", "3", unit: "m", "30:00").replacing("2026-01-02 10", with: "2026-01-02 15")
        let text = export(depths.map { record("UnderwaterDepth", $0.0, unit: "m", $0.1) } + [later])
        let result = try imported(.appleHealth, text: text)
        #expect(result.report.isClean, "\(result.notes)")
        let events = result.payloads("submersion").flatMap { payload in
            (payload["events"] as? [[String: Any]] ?? []).compactMap { event in
                (event["timestamp"] as? Double ?? 0) + (payload["sent"] as? Double ?? 0) - (payload["uptime"] as? Double ?? 0)
            }
        }
        // After 1.2 m at 10:00:02, and a second before 15:30:00. The export ends at 3 m, and its depths are too far apart to say that an
        // ascent follows.
        #expect(events == [1_767_344_403, 1_767_364_199])
    }
}
