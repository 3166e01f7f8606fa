import Foundation
@testable import GatewayPipeline
import GatewayRuntime
import GatewayTestSupport
import ProtobufFrames
import TelemetryModel

/// What no simulated device does: a few frames, and what is published for them.
struct Scenario {
    /// The frames sent so far.
    private var frames: [RecordedMessage] = []
    private var messages: [DerivedJSON] = []
    private var harness: PipelineHarness

    private init(_ settings: PipelineSettings, _ policy: AccessPolicy = AccessPolicy(unknown: .everything)) {
        var settings = settings
        settings.history.isStored = true
        harness = PipelineHarness(settings: settings, policy: policy)
    }

    private mutating func send(_ sent: RecordedMessage...) {
        frames += sent
        messages += harness.send(sent)
    }

    /// A scenario: its frames, and what is published.
    struct Entry: Sendable {
        /// Runs it.
        let run: @Sendable (PipelineSettings) throws -> (frames: [RecordedMessage], messages: [DerivedJSON])

        fileprivate init(
            policy: AccessPolicy = AccessPolicy(unknown: .everything), _ body: @escaping @Sendable (inout Scenario) throws -> Void
        ) {
            run = { settings in
                var scenario = Scenario(settings, policy)
                try body(&scenario)
                return (scenario.frames, scenario.messages)
            }
        }
    }

    /// Every scenario.
    static let all =
        [
            fault, silence, reboot, handover, access, errors, lastWill, headphones, gaps, session, north, commands, poses,
            posture, tremor,
            disorder, hill,
            parts, history, strangers, units, scaled, budget, runs, alarms,
        ]

    private static let fault = Entry { scenario in
        var device = TestDevice("ultra-3")
        scenario.send(device.depth(3, uptime: 100), device.depth(30, uptime: 101), device.depth(-5, uptime: 102))
        scenario.messages += scenario.harness.end()
    }

    private static let silence = Entry { scenario in
        var device = TestDevice("ultra-3")
        scenario.send(device.status(uptime: 99), device.depth(3, uptime: 100), device.depth(3.2, uptime: 101))
        scenario.messages += scenario.harness.tick(at: device.offset + 200)
        scenario.send(device.depth(3, uptime: 210))
    }

    private static let alarms = Entry { scenario in
        var device = TestDevice("ultra-3")
        scenario.send(device.depth(38.5, uptime: 100), device.depth(41, uptime: 101))
        scenario.acknowledge("past-limit", by: "Ada", of: device, uptime: 104)
        scenario.send(device.depth(20, uptime: 105), device.depth(19, uptime: 120))
    }

    private mutating func acknowledge(_ level: String, by person: String, of device: TestDevice, uptime: Double) {
        let now = GatewayTime(unix: UnixTime(device.offset + uptime), monotonic: device.offset + uptime)
        let acknowledgement = AlarmAcknowledgement(level: level, person: person, at: now.unix)
        guard let id = DeviceID(device.id), let found = harness.pipeline.acknowledge(acknowledgement, of: id, at: now) else {
            return
        }
        messages += found.messages.map(DerivedJSON.init)
    }

    private static let reboot = Entry { scenario in
        var device = TestDevice("ultra-3")
        scenario.send(device.depth(3, uptime: 100))
        var restarted = TestDevice("ultra-3", boot: "b2", offset: device.offset + 93)
        scenario.send(restarted.depth(2, uptime: 10))
    }

    private static let runs = Entry { scenario in
        var setBack = TestDevice("ultra-3")
        for second in 0..<20 {
            if second == 8 { setBack.offset += 60 }
            scenario.send(setBack.depth(3, uptime: Double(second < 8 ? 100 + second : 40 + second)))
        }
        var reused = TestDevice("ultra-4", offset: setBack.offset + 100)
        for second in 0..<20 {
            scenario.send(reused.depth(3, uptime: Double(100 + second), seq: second < 8 ? second : second - 8))
        }
    }

    private static let handover = Entry { scenario in
        var device = TestDevice("ultra-3")
        scenario.send(device.depth(3, uptime: 100))
        scenario.messages += scenario.harness.end(changesOwner: true)
    }

    private static let access = Entry(policy: PipelineHarness.policy("ultra-3", .everything)) { scenario in
        var device = TestDevice("ultra-3")
        scenario.send(device.depth(3, uptime: 100))
        let denied = DevicePolicy.with { $0.available[.waterSubmersion] = false }
        scenario.messages += scenario.harness.replace(policy: PipelineHarness.policy("ultra-3", denied))
        scenario.messages += scenario.harness.replace(policy: AccessPolicy())
    }

    private static let errors = Entry { scenario in
        var device = TestDevice("ultra-3")
        scenario.send(
            device.frame("submersion", uptime: 100, #""errors":[{"timestamp":100,"code":108}]"#), device.depth(0.1, uptime: 101))
    }

    private static let lastWill = Entry { scenario in
        var device = TestDevice("ultra-3")
        let will = #"{"schema":"wearables/1","boot":"b1","state":"offline"}"#
        scenario.send(
            device.status(uptime: 99), device.depth(0.1, uptime: 100),
            device.raw("status", at: device.offset + 110, retain: true, will))
    }

    private static let headphones = Entry { scenario in
        var device = TestDevice("pods-3")
        scenario.send(device.stillHead(uptime: 100), device.stillHead(uptime: 100.2))
        scenario.messages += scenario.harness.tick(at: device.offset + 110)
        scenario.send(device.stillHead(uptime: 120))
    }

    private static let gaps = Entry { scenario in
        var device = TestDevice("batter-3")
        scenario.send(
            device.accelerometer(start: 100), device.accelerometer(start: 100.5), device.depth(3, uptime: 102),
            device.depth(4, uptime: 103, seq: 5))
        scenario.messages += scenario.harness.end()
    }

    private static let session = Entry(
        policy: PipelineHarness.policy(
            "watch-3", DevicePolicy(available: [.deviceMotionBatch: false], authorization: .authorized))
    ) { scenario in
        var device = TestDevice("watch-3")
        scenario.send(
            device.workout("ended", uptime: 99), device.accelerometer(start: 100), device.depth(3, uptime: 102),
            device.workout("running", uptime: 103), device.accelerometer(start: 104))
        let denied = DevicePolicy.with { $0.authorization = .restricted }
        scenario.messages += scenario.harness.replace(policy: PipelineHarness.policy("watch-3", denied))
    }

    private static let north = Entry { scenario in
        var device = TestDevice("phone-3")
        let still = #""rotationRate":{"x":[0,0],"y":[0,0],"z":[0,0]},"userAcceleration":{"x":[0,0],"y":[0,0],"z":[0,0]},"#
        let upright = #""attitude":{"x":[0,0],"y":[0.7071068,0.7071068],"z":[0,0],"w":[0.7071068,0.7071068]},"#
        let frame =
            #""samples":{"timestamp":[99.9,100],\#(upright)\#(still)"gravity":{"x":[1,1],"y":[0,0],"z":[0,0]},"#
            + #""referenceFrame":"xTrueNorthZVertical","heading":[180,180],"headingAccuracy":[4,4]}"#
        scenario.send(device.frame("device-motion", uptime: 100.02, frame))
    }

    private static let commands = Entry { scenario in
        var device = TestDevice("pods-3")
        scenario.send(
            device.frame("command", uptime: 100, #""command":"resetHeadPose""#),
            device.frame("command", uptime: 101, #""command":"resetCounts""#),
            device.frame("command", uptime: 102, #""command":"calibratePosture""#),
            device.frame("command", uptime: 103, #""command":"learnPose","name":"warrior""#),
            device.frame("command", uptime: 104, #""command":"forgetPose","name":"warrior""#))
    }

    /// A pose that is learned, held, and left.
    private static let poses = Entry { scenario in
        var device = TestDevice("watch-3")
        scenario.send(device.frame("command", uptime: 100, #""command":"learnPose","name":"warrior""#))
        for second in 0..<16 {
            let start = 100 + Double(second)
            let angles = (0..<10).map { (index: Int) -> Double in
                let time = start + Double(index) / 10 - 100
                return time < 3 ? 0 : time < 6 ? 1.2 : time < 7 ? 1.2 * (7 - time) : time < 13 ? 0 : 1.2
            }
            func column(_ value: (Int) -> Double) -> String {
                angles.indices.map { "\((value($0) * 1e6).rounded() / 1e6)" }.joined(separator: ",")
            }
            let zeros = column { _ in 0 }
            let moving = column { angles[$0] > 0 && angles[$0] < 1.2 ? -1.2 : 0 }
            let (x, w) = (column { sin(angles[$0] / 2) }, column { cos(angles[$0] / 2) })
            let (down, side) = (column { -cos(angles[$0]) }, column { -sin(angles[$0]) })
            func vectors(_ x: String, _ y: String, _ z: String) -> String { #"{"x":[\#(x)],"y":[\#(y)],"z":[\#(z)]}"# }
            let fields = [
                #""timestamp":{"start":\#(start),"interval":0.1}"#,
                #""attitude":{"x":[\#(x)],"y":[\#(zeros)],"z":[\#(zeros)],"w":[\#(w)]}"#,
                #""rotationRate":\#(vectors(moving, zeros, zeros))"#, #""userAcceleration":\#(vectors(zeros, zeros, zeros))"#,
                #""gravity":\#(vectors(zeros, side, down))"#,
            ]
            scenario.send(
                device.frame("device-motion", uptime: start + 1, #""samples":{\#(fields.joined(separator: ","))}"#))
        }
        scenario.messages += scenario.harness.end()
    }

    /// A head that is calm for 4 s and then bent forward.
    private static let posture = Entry { scenario in
        var device = TestDevice("pods-3")
        var samples = MotionSamples()
        for index in 0..<600 {
            let angle = index < 100 ? 0 : 0.6
            samples.append(
                100 + Double(index) / 25, attitude: SIMD4(-sin(angle / 2), 0, 0, cos(angle / 2)),
                gravity: SIMD3(0, sin(angle), -cos(angle)), user: .zero)
        }
        scenario.send(device.motion(samples, on: .headphoneMotion))
    }

    /// A wrist that trembles for a minute, of a person who consented.
    private static let tremor = Entry(policy: consenting) { scenario in
        var device = TestDevice("watch-3")
        for second in 0..<70 {
            var samples = MotionSamples()
            for index in 0..<50 {
                let time = Double(second) + Double(index) / 50
                samples.append(
                    120 + time, attitude: SIMD4(0, 0, 0, 1), gravity: SIMD3(0, 0, -1),
                    user: SIMD3(0.1 * sin(2 * .pi * 5 * time), 0, 0))
            }
            scenario.send(device.motion(samples))
        }
        scenario.messages += scenario.harness.end()
    }

    /// A device that costs more than it may, and then less.
    private static let budget = Entry { scenario in
        var settings = scenario.harness.pipeline.settings
        settings.budget.unitsPerSecond = 0.5
        scenario.harness = PipelineHarness(settings: settings)
        var device = TestDevice("batter-3")
        for number in 0..<12 { scenario.send(device.accelerometer(start: 100 + Double(number) / 10)) }
        scenario.send(device.accelerometer(start: 130), device.accelerometer(start: 165))
    }

    /// A head whose motion comes as scaled integers.
    private static let scaled = Entry { scenario in
        var device = TestDevice("pods-3")
        var frame = device.stillHead(uptime: 100)
        frame.message.payload = try ProtobufFrameEncoder(.packed).encode(json: frame.message.payload, stream: .headphoneMotion)
        frame.message.contentType = ProtobufFrameEncoder.contentType
        scenario.send(frame)
    }

    /// What Apple found in two minutes, of a person who consented.
    private static let disorder = Entry(policy: consenting) { scenario in
        var device = TestDevice("watch-3")
        let start = device.offset - 120
        let minutes = [0.0, 60].map { after in
            #"{"startDate":\#(start + after),"endDate":\#(start + after + 60),"unknown":0.1,"none":0.6,"slight":0.3,"mild":0,"#
                + #""moderate":0,"strong":0}"#
        }
        let dyskinesia = #"{"startDate":\#(start),"endDate":\#(start + 60),"unlikely":0.9,"likely":0.1}"#
        scenario.send(
            device.frame(
                "movement-disorder", uptime: 100,
                #""tremor":[\#(minutes.joined(separator: ","))],"dyskinesia":[\#(dyskinesia)]"#))
    }

    private static let consenting = PipelineHarness.policy("watch-3", .with { ($0.wrist, $0.consents) = (.left, [.tremor]) })

    /// A run up a hill with a pause at the end, and somebody who stands on a mountain.
    private static let hill = Entry { scenario in
        let rows = (0...130).map { second in
            let moved = Double(min(second, 100))
            return RecordedRun.Row(
                time: Double(second), distance: moved * 3, cadence: second < 100 ? 162 : 0, altitude: 400 + moved / 5)
        }
        for frame in RecordedRun("hill", rows: rows, marks: [.init(time: 100, isPause: true)]).frames(device: "runner-3") {
            scenario.send(frame)
        }
        // After the runner's frames: a harness has one clock.
        var device = TestDevice("runner-4")
        let unix = device.offset + 1_300
        scenario.send(
            device.frame(
                "pedometer", uptime: 1_400.1,
                #""data":[{"startDate":\#(unix),"endDate":\#(unix + 100),"numberOfSteps":250,"distance":180,"floorsAscended":2,"#
                    + #""floorsDescended":0,"currentPace":0.55,"currentCadence":2.4}]"#),
            device.frame(
                "altimeter", uptime: 1_400.2,
                #""samples":{"timestamp":[1399.9],"relativeAltitude":[6.5],"pressure":[95.46]},"#
                    + #""absolute":{"timestamp":[1399.9],"altitude":[503.2],"accuracy":[2.5],"precision":[0.5]}"#))
        scenario.messages += scenario.harness.tick(at: unix + 130)
    }

    /// A workout with a run, a dive and strokes, and the next one right after it.
    private static let parts = Entry { scenario in
        let rows = (0...60).map { RecordedRun.Row(time: Double($0), distance: Double($0) * 3, cadence: 162, altitude: 400) }
        let run = RecordedRun("parts", rows: rows, marks: [.init(time: 60, isPause: true)])
        var device = TestDevice("watch-5", boot: "run")
        scenario.send(
            device.status(uptime: 999, #","wristLocation":"left""#),
            device.workout("running", uptime: 999.5, activity: "tennis"))
        for frame in run.frames(device: "watch-5") { scenario.send(frame) }
        for second in 0..<60 {
            let depth = (10..<40).contains(second) ? 3.0 : 0
            scenario.send(device.depth(depth, uptime: 1_070 + Double(second)))
        }
        scenario.send(device.turn(start: 1_140), device.turn(start: 1_144, rate: -15))
        scenario.send(
            device.workout("paused", uptime: 1_150, activity: "tennis"),
            device.workout("running", uptime: 1_152, activity: "tennis"))
        scenario.send(device.depth(0, uptime: 1_170), device.workout("ended", uptime: 1_171, activity: "tennis"))
        scenario.messages += scenario.harness.tick(at: device.offset + 3_000)
    }

    /// Half an hour awake, three hours of sleep and some hours on a table, sent in the morning.
    private static let history = Entry(
        policy: PipelineHarness.policy("sleeper-3", .with { $0.consents = [.sleep] })
    ) { scenario in
        let evening = 1_763_755_200.0
        let night = SimulatedNight(from: evening, hours: 2, hertz: 2)
        let table = SimulatedNight.table(from: night.samples.last.map { $0.time + 60 } ?? evening, hours: 3, hertz: 2)
        var device = HistoryDevice("sleeper-3", start: evening - 1_000)
        let frames = device.frames(night.samples + table, sent: evening + 40_000)
        // One frame stands for all: they are long.
        scenario.messages += scenario.harness.send(frames)
        var short = HistoryDevice("sleeper-3", boot: "b2", start: evening - 1_000)
        scenario.send(short.frame(night.samples[0..<20], sent: evening + 40_010))
        scenario.messages += scenario.harness.tick(at: evening + 41_000)
        if let id = DeviceID("sleeper-3") {
            scenario.messages += scenario.harness.pipeline.committedMessages(of: id).map(DerivedJSON.init)
        }
    }

    /// Messages of no known device, and one with a fault.
    private static let strangers = Entry(policy: PipelineHarness.policy("ultra-3", .everything)) { scenario in
        var stranger = TestDevice("watch-9")
        var device = TestDevice("ultra-3")
        scenario.messages += scenario.harness.send(stranger.depth(3, uptime: 100))
        let wrong = #"{"schema":"wearables/1","boot":"b1","seq":0,"uptime":1,"measurements":[{"timestamp":1,"depth":3}]}"#
        scenario.messages += scenario.harness.send(device.raw("submersion", at: 1_763_744_101, wrong))
        scenario.messages += scenario.harness.send(device.raw("a/b", at: 1_763_744_102, "{}"))
        scenario.messages += scenario.harness.send(device.depth(0.1, uptime: 103))
    }

    /// Motion of an app that does not state its units.
    private static let units = Entry { scenario in
        var settings = try PipelineHarness.settings(producer: "sensorLogger", ["topic": "sensor-logger/{user}"])
        settings.configurationFingerprint = "c679"
        var app = SensorLoggerApp(writing: .standardised)
        scenario.harness = PipelineHarness(
            settings: settings, policy: PipelineHarness.policy("anna", topic: app.topic, id: app.id))
        let start = 1_763_744_000.0
        let head = (0..<100).map { index in
            let time = Double(index) / 50
            let phase = max(0, time - 1)
            return AppReading(time: start + time, yaw: 0.6 * (1 - cos(phase)), rate: phase > 0 ? 0.6 * sin(phase) : 0)
        }
        scenario.messages += scenario.harness.send(app.messages(from: start, seconds: 2, headphones: head))
    }
}

extension MotionSamples {
    /// Appends a sample that does not rotate.
    fileprivate mutating func append(
        _ time: Double, attitude: SIMD4<Double>, gravity: SIMD3<Double>, user: SIMD3<Double>
    ) {
        timestamp.append(time)
        self.attitude.append(attitude)
        self.gravity.append(gravity)
        rotationRate.append(.zero)
        userAcceleration.append(user)
    }
}
