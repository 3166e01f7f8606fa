import GatewayPipeline
import GatewayTestSupport
import TelemetryModel
import Testing
import WearableFrames

@Suite("Frames of any values")
struct FramePropertyTests {
    private let decoder = NativeFrameDecoder()

    private func decode(_ frame: Frame) throws -> DecodedMessage {
        try decoder.decode(
            InboundMessage(topic: "t", payload: frame.payload, contentType: frame.contentType), stream: frame.stream,
            limits: DecodeLimits(), received: GatewayTime(unix: UnixTime(0), monotonic: 0))
    }

    private func entries(_ body: DecodedBody?) -> Int {
        switch body {
        case .model(.headphoneMotion(let samples)), .model(.deviceMotion(let samples)): samples.count
        case .model(.batchedIMU(let batch)): (batch.accelerometer?.count ?? 0) + (batch.deviceMotion?.count ?? 0)
        case .submersion(let samples):
            samples.events.count + samples.measurements.count + samples.temperatures.count + samples.errors.count
        case .pedometer(let samples): samples.data.count + samples.events.count
        case .model(.movementDisorder(let results)): results.tremor.count + results.dyskinesia.count
        case .model(.altimeter(let samples)): samples.timestamp.count + (samples.absolute?.timestamp.count ?? 0)
        case .model(.recordedAcceleration(let samples)): samples.count
        default: 1
        }
    }

    @Test(.slow, arguments: StreamName.allCases)
    func `Are refused by the library or read by the gateway, whole and with the next number`(stream: StreamName) throws {
        var (made, refused) = (0, 0)
        for seed in 0..<12 as Range<UInt64> {
            let digits = [nil, 6, 9, 3, 0][Int(seed % 5)]
            var random = RandomFrames(seed: seed &* 7919 &+ UInt64(stream.rawValue.utf8.count))
            var builder = FrameBuilder(
                device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b1"),
                encoding: digits.map { .json(digits: $0) } ?? .json)
            var sequence: UInt64 = 0
            for _ in 0..<40 {
                let result: (frame: Frame, entries: Int, instant: DeviceInstant)
                do throws(FrameError) {
                    result = try random.frame(of: stream, by: &builder)
                } catch {
                    #expect(!error.description.isEmpty)
                    refused += 1
                    continue
                }
                let decoded = try decode(result.frame)
                #expect(decoded.header.boot.rawValue == "b1")
                #expect(decoded.header.sequence == sequence)
                #expect(abs(decoded.header.uptime.seconds - result.instant.uptime) < 1e-6)
                if let sent = decoded.header.sent { #expect(abs(sent.seconds - result.instant.unix) < 2e-6) }
                #expect(entries(decoded.body) == result.entries)
                sequence += 1
                made += 1
            }
        }
        #expect(made > 100)
        #expect(refused > 0)
    }

    @Test func `Of every case of every enumeration are read by the gateway`() throws {
        var builder = FrameBuilder(device: DeviceID(cleaning: "d1"))
        let instant = DeviceInstant(uptime: 100, unix: 1_763_749_000)
        let sample = Motion(
            timestamp: 99, attitude: Quaternion(x: 0, y: 0, z: 0, w: 1), rotationRate: Vector3(x: 0, y: 0, z: 0),
            userAcceleration: Vector3(x: 0, y: 0, z: 0), gravity: Vector3(x: 0, y: 0, z: -1))
        for location in SensorLocation.allCases {
            var located = sample
            located.sensorLocation = location
            guard
                case .model(.headphoneMotion(let samples)) = try decode(try builder.headphoneMotion([located], at: instant)).body
            else { throw WrongBody() }
            #expect(samples.location(at: 0) == location)
        }
        for reference in ReferenceFrame.allCases {
            let frame = try builder.deviceMotion([sample], referenceFrame: reference, at: instant)
            guard case .model(.deviceMotion(let samples)) = try decode(frame).body else { throw WrongBody() }
            #expect(samples.referenceFrame == reference)
        }
        for state in DepthState.allCases {
            let readings = SubmersionReadings(measurements: [.init(time: .timestamp(99), submersionState: state)])
            guard case .submersion(let samples) = try decode(try builder.submersion(readings, at: instant)).body else {
                throw WrongBody()
            }
            #expect(samples.measurements.map(\.submersionState) == [state])
        }
        for kind in PedometerEvent.Kind.allCases {
            let readings = PedometerReadings(events: [.init(kind, date: 1_763_748_999)])
            guard case .pedometer(let samples) = try decode(try builder.pedometer(readings, at: instant)).body else {
                throw WrongBody()
            }
            #expect(samples.events.map(\.kind) == [kind])
        }
        for state in SubmersionState.allCases {
            let readings = SubmersionReadings(events: [.init(time: .date(1_763_748_999), state: state)])
            guard case .submersion(let samples) = try decode(try builder.submersion(readings, at: instant)).body else {
                throw WrongBody()
            }
            #expect(samples.events.map(\.state) == [state])
        }
        for state in WorkoutState.allCases {
            let frame = try builder.workout(WearableFrames.WorkoutChange(state, timestamp: 99), at: instant)
            guard case .model(.workout(let change)) = try decode(frame).body else { throw WrongBody() }
            #expect(change.state == state)
        }
    }

    @Test func `The status reports every field that the gateway reads`() throws {
        var builder = FrameBuilder(device: DeviceID(cleaning: "d1"))
        var available: [Capability: Bool] = [:]
        for (index, key) in Capability.allCases.enumerated() { available[key] = index % 2 == 0 }
        let reported = DeviceStatus(
            state: .online, model: "Watch6,18", os: "watchOS 10.4", authorization: .denied, available: available,
            entitlements: ["e"], wristLocation: .left, crownOrientation: .right)
        let decoded = try decode(try builder.status(reported, at: DeviceInstant(uptime: 100, unix: 0)))
        guard case .model(.status(let status)) = decoded.body else { throw WrongBody() }
        #expect(decoded.header.sent == nil)
        #expect(status == reported)
    }

    @Test func `The last will is one that the gateway accepts`() throws {
        let will = FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b1")).will
        let decoded = try decoder.decode(
            InboundMessage(topic: "t", payload: will.payload, contentType: will.contentType), stream: .status,
            limits: DecodeLimits(), received: GatewayTime(unix: UnixTime(0), monotonic: 0))
        guard case .lastWill = decoded.content else { throw WrongBody() }
        #expect(will.retain && will.topic == "wearables/d1/in/status")
        #expect(decoded.header.boot.rawValue == "b1")
    }

    struct WrongBody: Error {}
}
