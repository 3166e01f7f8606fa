import Foundation
import Testing
import WearableFrames

@Suite("A frame builder")
struct FrameBuilderTests {
    private let instant = DeviceInstant(uptime: 5_321.25, unix: 1_763_749_000.12)
    private let device = DeviceID(cleaning: "ultra-1")

    private func builder(_ encoding: FrameEncoding = .json) -> FrameBuilder {
        FrameBuilder(device: device, boot: BootID(cleaning: "b7f3"), encoding: encoding)
    }

    private func text(_ frame: Frame) -> String { String(decoding: frame.payload, as: UTF8.self) }

    @Test func `Writes the header and the fields in the contract's order, without digits that say nothing`() throws {
        var frames = builder()
        let frame = try frames.submersion(
            SubmersionReadings(measurements: [.init(time: .timestamp(5_321.1), depth: 3.2004)]), at: instant)
        #expect(
            text(frame)
                == #"{"schema":"wearables/1","boot":"b7f3","seq":0,"uptime":5321.25,"sent":1763749000.12,"#
                + #""measurements":[{"timestamp":5321.1,"depth":{"value":3.2,"unit":"m"}}]}"#)
        #expect(frame.topic == "wearables/ultra-1/in/submersion")
        #expect(!frame.retain && frame.contentType == "application/json")
    }

    @Test func `Refuses a date that is no time of the boot, as the gateway does`() throws {
        var frames = builder()
        func frame(_ date: Double) throws -> Frame {
            try frames.submersion(SubmersionReadings(measurements: [.init(time: .date(date), depth: 3)]), at: instant)
        }
        for date in [instant.unix, instant.unix + 4.9, instant.unix - instant.uptime - 4.9] { _ = try frame(date) }
        for date in [instant.unix + 5.1, instant.unix - instant.uptime - 5.1, 1] {
            #expect(throws: FrameError.timeOutOfRange(field: "measurements[0].date", seconds: date)) { try frame(date) }
        }
    }

    @Test func `Writes as many decimals as set`() throws {
        let readings = SubmersionReadings(measurements: [.init(time: .timestamp(1), depth: 1.23456789, pressure: 101.3456)])
        for (encoding, depth, pressure) in [
            (FrameEncoding.json, "1.23", "101.346"), (.json(digits: 0), "1", "101"), (.json(digits: 5), "1.23457", "101.3456"),
            (.json(digits: 99), "1.23456789", "101.3456"),
        ] {
            var frames = builder(encoding)
            let frame = try frames.submersion(readings, at: instant)
            #expect(text(frame).contains(#""depth":{"value":\#(depth),"#))
            #expect(text(frame).contains(#""pressure":{"value":\#(pressure),"#))
        }
    }

    @Test func `Numbers each stream for itself, and uses up no number for a frame that it refuses`() throws {
        var frames = builder()
        #expect(try frames.command(.resetCounts, at: instant).sequence == 0)
        #expect(try frames.command(.resetCounts, at: instant).sequence == 1)
        #expect(throws: FrameError.notFinite(field: "timestamp")) {
            try frames.headphoneConnection(.didConnect, timestamp: .nan, at: instant)
        }
        #expect(throws: FrameError.empty) { try frames.batch(at: instant) }
        #expect(try frames.headphoneConnection(.didConnect, timestamp: 5_321, at: instant).sequence == 0)
        #expect(try frames.command(.resetHeadPose, at: instant).sequence == 2)
    }

    @Test func `Retains status and workout and nothing else`() {
        #expect(StreamName.allCases.filter(\.isRetained) == [.status, .workout])
    }

    @Test func `Leaves out a wall clock that was never set`() throws {
        var frames = builder()
        #expect(!text(try frames.command(.resetCounts, at: DeviceInstant(uptime: 1, unix: 12))).contains("sent"))
        #expect(!text(try frames.command(.resetCounts, at: DeviceInstant(uptime: 1, unix: .nan))).contains("sent"))
    }

    @Test func `Writes steps, pauses and altitudes`() throws {
        var frames = builder()
        let readings = PedometerReadings(
            data: [.init(startDate: 1_763_748_900, endDate: 1_763_748_999.5, steps: 240, distance: 190.25, currentPace: 0.4)],
            events: [.init(.pause, date: 1_763_748_996)])
        let steps = text(try frames.pedometer(readings, at: instant))
        #expect(
            steps.contains(
                #""data":[{"startDate":1763748900,"endDate":1763748999.5,"numberOfSteps":240,"distance":190.25,"currentPace":0.4}],"#
                    + #""events":[{"type":"pause","date":1763748996}]"#))
        let altitudes = AltimeterReadings(
            relative: [.init(timestamp: 5_320, relativeAltitude: 1.25, pressure: 101.325)],
            absolute: [.init(timestamp: 5_320, altitude: 412, accuracy: 3, precision: 0.5)])
        #expect(
            text(try frames.altimeter(altitudes, at: instant)).contains(
                #""samples":{"timestamp":[5320],"relativeAltitude":[1.25],"pressure":[101.325]},"#
                    + #""absolute":{"timestamp":[5320],"altitude":[412],"accuracy":[3],"precision":[0.5]}"#))
    }

    @Test func `Refuses steps that nobody makes, dates of another boot, and a pedometer without a wall clock`() throws {
        var frames = builder()
        func count(_ steps: Int, from start: Double = 1_763_748_900, to end: Double = 1_763_748_999) -> PedometerReadings {
            PedometerReadings(data: [.init(startDate: start, endDate: end, steps: steps)])
        }
        #expect(throws: FrameError.outOfRange(field: "data[0].numberOfSteps", value: 600)) {
            try frames.pedometer(count(600), at: instant)
        }
        #expect(throws: FrameError.timeOutOfRange(field: "data[0].endDate", seconds: 1_763_748_899)) {
            try frames.pedometer(count(1, to: 1_763_748_899), at: instant)
        }
        let old = instant.unix - instant.uptime - 100
        #expect(throws: FrameError.timeOutOfRange(field: "events[0].date", seconds: old)) {
            try frames.pedometer(PedometerReadings(events: [.init(.pause, date: old)]), at: instant)
        }
        #expect(throws: FrameError.timeOutOfRange(field: "sent", seconds: 12)) {
            try frames.pedometer(count(1), at: DeviceInstant(uptime: 1, unix: 12))
        }
        #expect(throws: FrameError.empty) { try frames.pedometer(PedometerReadings(), at: instant) }
        #expect(throws: FrameError.empty) { try frames.altimeter(AltimeterReadings(), at: instant) }
        #expect(throws: FrameError.outOfRange(field: "samples.pressure[0]", value: 1_013)) {
            try frames.altimeter(
                AltimeterReadings(relative: [.init(timestamp: 5_320, relativeAltitude: 0, pressure: 1_013)]), at: instant)
        }
    }

    @Test func `Names the sample that is wrong`() throws {
        var frames = builder()
        let zero = Vector3(x: 0, y: 0, z: 0)
        func accelerations(_ times: Double...) -> [Acceleration] {
            times.map { Acceleration(timestamp: $0, acceleration: zero) }
        }
        #expect(throws: FrameError.timestampOrder(field: "accelerometer.timestamp", index: 1)) {
            try frames.batch(accelerometer: accelerations(1, 1.0000001), at: instant)
        }
        #expect(throws: FrameError.timeOutOfRange(field: "accelerometer.timestamp[0]", seconds: 5_327)) {
            try frames.batch(accelerometer: accelerations(5_327), at: instant)
        }
        #expect(throws: FrameError.tooMany(field: "accelerometer", count: 4097, limit: 4096)) {
            try frames.batch(
                accelerometer: Array(repeating: Acceleration(timestamp: 1, acceleration: zero), count: 4097), at: instant)
        }
        #expect(throws: FrameError.uptimeOutOfRange(-1)) {
            try frames.command(.resetCounts, at: DeviceInstant(uptime: -1, unix: 0))
        }
        let motion = Motion(
            timestamp: 1, attitude: Quaternion(x: 1, y: 1, z: 0, w: 0), rotationRate: zero, userAcceleration: zero, gravity: zero)
        #expect(throws: FrameError.notUnitLength(field: "samples.attitude", index: 0)) {
            try frames.deviceMotion([motion], at: instant)
        }
    }

    @Test func `Says how long a gap in recorded acceleration is`() throws {
        var frames = builder()
        func frame(_ dates: [Double]) throws -> Frame {
            let samples = dates.map { RecordedAcceleration(startDate: $0, acceleration: Vector3(x: 0, y: 0, z: -1)) }
            return try frames.recordedAccelerometer(samples, at: instant)
        }
        let first = 1_763_748_000.0
        _ = try frame([first, first + 0.25, first + 0.75])
        for step in [1.25, 0, -0.5] {
            let error = FrameError.sampleInterval(field: "samples.startDate", index: 2, seconds: step)
            #expect(throws: error) { try frame([first, first + 0.25, first + 0.25 + step]) }
        }
    }

    @Test func `Writes raw motion, with the magnetic field where every sample has it`() throws {
        var frames = builder()
        func sample(_ time: Double, field: Vector3? = nil, _ location: SensorLocation = .default) -> RawMotion {
            RawMotion(
                timestamp: time, acceleration: Vector3(x: 0, y: 0.1234567, z: -1), rotationRate: Vector3(x: 1, y: 0, z: 0),
                magneticField: field, sensorLocation: location)
        }
        let north = Vector3(x: 20.127, y: 0, z: -44)
        let frame = try frames.headphoneMotion(
            raw: [sample(1, field: north, .headphoneLeft), sample(1.5, field: north, .headphoneRight)], at: instant)
        #expect(frame.stream == .headphoneMotion && frame.sequence == 0)
        #expect(
            text(frame).hasSuffix(
                #""samples":{"timestamp":[1,1.5],"acceleration":{"x":[0,0],"y":[0.12346,0.12346],"z":[-1,-1]},"#
                    + #""rotationRate":{"x":[1,1],"y":[0,0],"z":[0,0]},"magneticField":{"x":[20.13,20.13],"y":[0,0],"z":[-44,-44]},"#
                    + #""sensorLocation":["headphoneLeft","headphoneRight"]}}"#))
        #expect(!text(try frames.deviceMotion(raw: [sample(1)], at: instant)).contains("magneticField"))
        #expect(throws: FrameError.missing(field: "samples.magneticField[1]")) {
            try frames.deviceMotion(raw: [sample(1, field: north), sample(1.5)], at: instant)
        }
        #expect(throws: FrameError.notFinite(field: "deviceMotion.magneticField[0]")) {
            try frames.batch(rawMotion: [sample(1, field: Vector3(x: 0, y: .nan, z: 0))], at: instant)
        }
        #expect(throws: FrameError.timestampOrder(field: "deviceMotion.timestamp", index: 1)) {
            try frames.batch(rawMotion: [sample(1), sample(1)], at: instant)
        }
        #expect(throws: FrameError.empty) { try frames.batch(rawMotion: [], at: instant) }
        #expect(throws: FrameError.empty) { try frames.headphoneMotion(raw: [], at: instant) }
        #expect(throws: FrameError.tooMany(field: "samples", count: 4097, limit: 4096)) {
            try frames.deviceMotion(raw: (0..<4097).map { sample(Double($0)) }, at: instant)
        }
    }

    @Test func `Continues from stored counters while the clock runs on, and begins a new boot else`() throws {
        var frames = builder()
        #expect(frames.counters == nil)
        _ = try frames.command(.resetCounts, at: instant)
        let stored = try JSONDecoder().decode(FrameCounters.self, from: try JSONEncoder().encode(try #require(frames.counters)))
        func resumed(_ instant: DeviceInstant) throws -> (boot: BootID, sequence: UInt64) {
            var frames = FrameBuilder(device: device, resuming: stored, at: instant)
            return (frames.boot, try frames.command(.resetCounts, at: instant).sequence)
        }
        let later = try resumed(DeviceInstant(uptime: instant.uptime + 60, unix: instant.unix + 60.5))
        #expect(later == (frames.boot, 1))
        let rebooted = try resumed(DeviceInstant(uptime: 20, unix: instant.unix + 60))
        #expect(rebooted.boot != frames.boot && rebooted.sequence == 0)
        let slept = try resumed(DeviceInstant(uptime: instant.uptime + 60, unix: instant.unix + 600))
        #expect(slept.boot != frames.boot && slept.sequence == 0)
    }

    @Test func `Gives each launch a boot of its own`() {
        let boots = (0..<100).map { _ in FrameBuilder(device: device).boot }
        #expect(Set(boots).count == 100)
        #expect(boots.allSatisfy { $0.rawValue.utf8.count == 16 })
    }

    @Test func `An id holds only what a topic level may`() {
        #expect(DeviceID("ultra-1_A")?.rawValue == "ultra-1_A")
        for text in ["", "a/b", "a b", "ü", "+", "#", String(repeating: "a", count: 65)] { #expect(DeviceID(text) == nil) }
        #expect(DeviceID(cleaning: "Anna's ⌚").rawValue == "Anna_s__")
        #expect(DeviceID(cleaning: "").rawValue == "_")
        #expect(DeviceID(cleaning: String(repeating: "a", count: 65)).rawValue.utf8.count == 64)
    }

    @Test func `The two clocks of now belong together`() {
        let (first, second) = (DeviceInstant.now, DeviceInstant.now)
        #expect(second.uptime >= first.uptime && first.uptime > 0)
        #expect(abs((second.unix - second.uptime) - (first.unix - first.uptime)) < 0.1)
        #expect(abs(first.unix - Date().timeIntervalSince1970) < 60)
    }
}
