import FleetSimulator
import GatewayTestSupport
import Testing
import WearableFrames

@Suite("Every frame")
struct FrameTests {
    private let fleet = Fleet.demo(startingAt: start)

    @Test("is JSON of the contract's schema with columns of one length", .slow)
    func columns() throws {
        for frame in try fleet.frames() {
            #expect(frame.string("schema") == "wearables/1")
            #expect(frame.message.payload.count < 256 * 1024)
            for key in ["samples", "accelerometer", "deviceMotion"] {
                guard let samples = frame.object[key] as? [String: Any] else { continue }
                #expect(Set(Frame.columns(of: samples).map(\.count)).count == 1)
            }
        }
    }

    @Test("is numbered without a gap within its device and stream, from 0", .slow)
    func sequences() throws {
        var next: [String: Int] = [:]
        for frame in try fleet.frames() {
            let topic = frame.message.topic()
            #expect(frame.sequence == next[topic, default: 0])
            next[topic] = frame.sequence + 1
        }
        #expect(next.count == 14)
    }

    @Test("is sent at the time it says, by both of the device's clocks, in order", .slow)
    func clocks() throws {
        var origins: [String: Double] = [:]
        var last = start
        for frame in try fleet.frames() {
            let sent = try #require(frame.number("sent"))
            #expect(abs(sent - frame.message.at) < 2e-6)
            #expect(frame.message.at >= last)
            last = frame.message.at
            let device = frame.message.device
            #expect(abs(sent - frame.uptime - origins[device, default: sent - frame.uptime]) < 3e-6)
            origins[device] = sent - frame.uptime
        }
        #expect(Set(origins.values).count == 5)
    }

    @Test("carries samples that rise in time and are older than the frame", .slow)
    func timestamps() throws {
        var latest: [String: Double] = [:]
        for frame in try fleet.frames() {
            for key in ["samples", "accelerometer", "deviceMotion"] {
                let column = frame.column("\(key).timestamp")
                guard let first = column.first, let last = column.last else { continue }
                #expect(zip(column, column.dropFirst()).allSatisfy { $0 < $1 })
                #expect(first > latest[frame.message.device + key, default: 0])
                #expect(last <= frame.uptime)
                latest[frame.message.device + key] = last
            }
        }
    }

    @Test("of a device carries the same boot, and no two devices share one", .slow)
    func boots() throws {
        let boots = try fleet.frames().map { "\($0.message.device) \($0.string("boot") ?? "")" }
        #expect(Set(boots).count == 5)
        #expect(Set(boots.map { $0.split(separator: " ")[1] }).count == 5)
    }

    @Test("is the same, byte for byte, for the same seed, and another for another")
    func determinism() {
        let once = Fleet(kinds: DeviceKind.allCases, count: 5, startingAt: start, duration: 6, seed: 3)
        let again = Fleet(kinds: DeviceKind.allCases, count: 5, startingAt: start, duration: 6, seed: 3)
        let other = Fleet(kinds: DeviceKind.allCases, count: 5, startingAt: start, duration: 6, seed: 4)
        #expect(Array(once) == Array(again))
        #expect(Array(once) != Array(other))
    }

    @Test("is written into a recording as one line with its topic")
    func recording() throws {
        let message = try #require(Array(Headphones(origin("pods-7"))).first)
        let line = String(decoding: RecordingLine.encode(message), as: UTF8.self)
        let expected = #"{"at":1763749000,"topic":"wearables/pods-7/in/status","retain":true,"payload":{"schema":"wearables/1","#
        #expect(line.hasPrefix(expected))
        #expect(line.hasSuffix("}}\n"))
        #expect(line.filter(\.isNewline).count == 1)
    }
}
