import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Good frames")
struct GoodFrameTests {
    @Test func `The header is read as the contract has it`() throws {
        let frame = try Decoding.frame(.workout, SampleFrames.workout)
        #expect(frame.header.boot.rawValue == "b7f3")
        #expect(frame.header.sequence == 42)
        #expect(frame.header.uptime == DeviceTime(100.25))
        #expect(frame.header.sent == UnixTime(1_763_749_001.25))
        #expect(!frame.isLastWill)
    }

    @Test func `sent may be absent or null`() throws {
        #expect(try Decoding.frame(.workout, SampleFrames.workout.with("/sent", nil)).header.sent == nil)
        #expect(try Decoding.frame(.workout, SampleFrames.workout.with("/sent", "null")).header.sent == nil)
    }

    @Test(arguments: ["0", "-0", "9007199254740991"])
    func `seq reaches from 0 to 2^53 - 1`(text: String) throws {
        let frame = try Decoding.frame(.workout, SampleFrames.workout.with("/seq", text))
        #expect(frame.header.sequence == UInt64(text.drop { $0 == "-" }))
    }

    @Test func `Unknown keys are ignored wherever they stand`() throws {
        let plain = try Decoding.frame(.headphoneMotion, SampleFrames.headphoneMotion)
        let extended = SampleFrames.headphoneMotion.with("/note", "[1, {\"a\": null}]").with("/samples/colour", "\"blue\"")
        #expect(try Decoding.frame(.headphoneMotion, extended) == plain)
        let noted = SampleFrames.submersion.with("/measurements/0/y", "1").with("/measurements/0/depth/note", "\"x\"")
        #expect(try Decoding.submersion(noted) == Decoding.submersion(SampleFrames.submersion))
    }

    @Test func `Motion is read by column`() throws {
        let samples = try Decoding.motion(SampleFrames.headphoneMotion)
        #expect(samples.timestamp == [99, 99.25, 99.5])
        #expect(samples.attitude[1] == SIMD4(0, 0.6, 0, 0.8))
        #expect(samples.attitude[2].w == -1)
        #expect(samples.rotationRate[2] == SIMD3(1.5, 0, 0))
        #expect(samples.userAcceleration[2] == SIMD3(0, 0, 0.5))
        #expect(samples.gravity[0] == SIMD3(0, 0, -1))
        #expect(samples.sensorLocation == [.headphoneLeft])
        #expect(samples.referenceFrame == nil)
    }

    @Test func `Device motion is read as headphone motion is`() throws {
        let samples = try Decoding.motion(SampleFrames.headphoneMotion)
        #expect(try Decoding.model(.deviceMotion, SampleFrames.deviceMotion) == .deviceMotion(samples))
    }

    @Test func `The sensor location may be a raw value, or a column of names and raw values`() throws {
        for (text, expected) in [
            ("2", [SensorLocation.headphoneRight]), ("[0, \"headphoneRight\", 1]", [.default, .headphoneRight, .headphoneLeft]),
        ] {
            let frame = SampleFrames.headphoneMotion.with("/samples/sensorLocation", text)
            #expect(try Decoding.motion(frame).sensorLocation == expected)
        }
    }

    @Test func `Optional fields of motion are read or checked`() throws {
        let frame = SampleFrames.headphoneMotion.with("/samples/referenceFrame", "\"xTrueNorthZVertical\"")
            .with("/samples/magneticField", "{\"x\":[1,2,3],\"y\":[1,2,3],\"z\":[1,2,3],\"accuracy\":[-1,2,\"high\"]}")
            .with("/samples/heading", "[-1, 0, 359.5]").with("/samples/headingAccuracy", "null")
        let samples = try Decoding.motion(frame)
        #expect(samples.referenceFrame == .xTrueNorthZVertical)
        #expect(samples.heading == [-1, 0, 359.5])
        #expect(samples.headingAccuracy == nil)
        #expect(samples.slice(1..<3).heading == [0, 359.5])
    }

    @Test func `Either half of a batch may be missing, and even timestamps expand`() throws {
        let both = try Decoding.batch(SampleFrames.batchedIMU)
        #expect(both.accelerometer?.timestamp == [99, 99.00125])
        #expect(both.accelerometer?.acceleration[1] == SIMD3(1, 34.5, 0.03))
        #expect(both.deviceMotion?.count == 3)
        for half in ["accelerometer", "deviceMotion"] {
            let batch = try Decoding.batch(SampleFrames.batchedIMU.with("/\(half)", nil))
            #expect((batch.accelerometer == nil) == (half == "accelerometer"))
            #expect((batch.deviceMotion == nil) == (half == "deviceMotion"))
        }
    }

    @Test func `A connection event, a workout and a command are read`() throws {
        #expect(
            try Decoding.model(.headphoneConnection, SampleFrames.headphoneConnection)
                == .headphoneConnection(HeadphoneConnectionEvent(event: .didConnect, time: DeviceTime(99.5))))
        #expect(
            try Decoding.model(.workout, SampleFrames.workout)
                == .workout(WorkoutChange(state: .running, activity: "tennis", time: DeviceTime(99.5))))
        let command = try Decoding.frame(.command, SampleFrames.command.with("/seq", nil))
        #expect(command.body == .model(.command(.resetHeadPose)))
        #expect(command.header.sequence == nil)
    }

    @Test(arguments: [("5", "baseball"), ("48", "tennis"), ("3000", "other"), ("7777", "7777"), ("\"judo\"", "judo")])
    func `An activity is a name, or a raw value named where it is known`(text: String, activity: String) throws {
        let frame = SampleFrames.workout.with("/activity", text).with("/state", "4")
        #expect(
            try Decoding.model(.workout, frame)
                == .workout(WorkoutChange(state: .paused, activity: activity, time: DeviceTime(99.5))))
    }
}
