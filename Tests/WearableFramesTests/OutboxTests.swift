import Foundation
import Glibc
import LocalBroker
import Testing
import WearableFrames

@Suite("An outbox")
struct OutboxTests {
    private var frames = FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b1"))
    private let instant = DeviceInstant(uptime: 100, unix: 1_763_749_000)

    private func numbers(_ outbox: Outbox) -> [UInt64] { outbox.frames(from: 0, limit: 1000).map(\.frame.sequence) }

    private func boots(_ outbox: Outbox) -> [String] {
        outbox.frames(from: 0, limit: 1000).map { "\($0.frame.boot) \($0.frame.sequence)" }
    }

    private func committed(_ stream: String, boot: String = "b1", _ sequence: Int) throws -> Acknowledgement {
        let payload =
            #"{"schema":"wearables/1","device":"d1","kind":"committed/\#(stream)","boot":"\#(boot)","seq":\#(sequence)}"#
        return try #require(Acknowledgement(Array(payload.utf8)))
    }

    /// One in memory and one in a folder.
    private func each(_ limits: Outbox.Limits = .init(), _ body: (inout Outbox) throws -> Void) throws {
        var inMemory = Outbox(limits: limits)
        try body(&inMemory)
        let directory = try TemporaryDirectory()
        var inFolder = try Outbox(folder: directory.path("outbox"), limits: limits)
        try body(&inFolder)
    }

    @Test func `Drops the oldest frames when it is full, and counts them`() throws {
        let size = try {
            var frames = frames; return try frames.command(.resetCounts, at: instant).payload.count
        }()
        for limits in [Outbox.Limits(frames: 3), Outbox.Limits(bytes: 3 * size)] {
            try each(limits) { outbox in
                var frames = frames
                for _ in 0..<8 { try outbox.append(try frames.command(.resetCounts, at: instant)) }
                #expect(numbers(outbox) == [5, 6, 7])
                #expect(outbox.dropped == 5)
                #expect(outbox.count == 3 && outbox.bytes == 3 * size)
            }
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may remove every file"))
    func `Counts what it dropped before a file that cannot be removed`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("outbox")
        var frames = frames
        let size = try frames.command(.resetCounts, at: instant).payload.count
        var outbox = try Outbox(folder: folder, limits: .init(bytes: 3 * size))
        for _ in 0..<3 { try outbox.append(try frames.command(.resetCounts, at: instant)) }
        // A folder that cannot be emptied takes the place of the second file.
        let obstacle = folder + "/00000000000000000001.frame"
        try FileManager.default.removeItem(atPath: obstacle)
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        try "x".write(toFile: obstacle + "/x", atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: obstacle)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: obstacle) }
        let longer = try frames.command(.learnPose("warrior"), at: instant)
        try #require(longer.payload.count > size && longer.payload.count < 2 * size)
        #expect(throws: (any Error).self) { try outbox.append(longer) }
        #expect(outbox.dropped == 1)
        #expect(outbox.count == 2 && outbox.bytes == 2 * size)
    }

    @Test func `Returns frames from a place on, in order`() throws {
        try each { outbox in
            var frames = frames
            var places: [Outbox.Place] = []
            for _ in 0..<6 { places.append(try outbox.append(try frames.command(.resetCounts, at: instant))) }
            try outbox.acknowledge(try committed("command", 1))
            #expect(outbox.frames(from: 0, limit: 2).map(\.frame.sequence) == [2, 3])
            #expect(outbox.frames(from: places[4], limit: 9).map(\.frame.sequence) == [4, 5])
            #expect(outbox.frames(from: places[5] + 1, limit: 9).isEmpty)
        }
    }

    @Test func `An acknowledgement covers its stream up to its number, and nothing else`() throws {
        try each { outbox in
            var frames = frames
            for index in 0..<4 {
                try outbox.append(try frames.command(.resetCounts, at: instant))
                try outbox.append(try frames.headphoneConnection(.didConnect, timestamp: Double(index), at: instant))
            }
            try outbox.acknowledge(try committed("command", 2))
            let left = outbox.frames(from: 0, limit: 99).map { "\($0.frame.stream.rawValue) \($0.frame.sequence)" }
            #expect(
                left == [
                    "headphone-connection 0", "headphone-connection 1", "headphone-connection 2", "command 3",
                    "headphone-connection 3",
                ])
            try outbox.acknowledge(try committed("command", boot: "b0", 99))
            #expect(outbox.count == 5)
            try outbox.acknowledge(try committed("headphone-connection", 99))
            #expect(numbers(outbox) == [3])
        }
    }

    @Test func `An acknowledgement of a later boot covers the frames of the boot before it`() throws {
        try each { outbox in
            var (frames, next) = (frames, FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b2")))
            for _ in 0..<3 { try outbox.append(try frames.command(.resetCounts, at: instant)) }
            for _ in 0..<3 { try outbox.append(try next.command(.resetCounts, at: instant)) }
            try outbox.acknowledge(try committed("command", boot: "b2", 0))
            #expect(numbers(outbox) == [1, 2])
        }
    }

    @Test func `Recorded acceleration is kept until its own boot is named, for the gateway takes it of any boot`() throws {
        try each { outbox in
            var (frames, next) = (frames, FrameBuilder(device: DeviceID(cleaning: "d1"), boot: BootID(cleaning: "b2")))
            let samples = [RecordedAcceleration(startDate: 1_763_748_000, acceleration: Vector3(x: 0, y: 0, z: -1))]
            for _ in 0..<3 { try outbox.append(try frames.recordedAccelerometer(samples, at: instant)) }
            for _ in 0..<3 { try outbox.append(try next.recordedAccelerometer(samples, at: instant)) }
            try outbox.acknowledge(try committed("recorded-accelerometer", boot: "b2", 1))
            #expect(boots(outbox) == ["b1 0", "b1 1", "b1 2", "b2 2"])
            let both = """
                {"schema":"wearables/1","device":"d1","kind":"committed/recorded-accelerometer","boot":"b2","seq":1,
                "otherBoots":[{"boot":"b0","seq":9},{"boot":"b1","seq":1}]}
                """
            try outbox.acknowledge(try #require(Acknowledgement(Array(both.utf8))))
            #expect(boots(outbox) == ["b1 2", "b2 2"])
        }
    }

    @Test func `In a folder it holds after a restart what it held before`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("outbox")
        var frames = frames
        var outbox = try Outbox(folder: folder)
        for _ in 0..<5 { try outbox.append(try frames.command(.resetHeadPose, at: instant)) }
        try outbox.acknowledge(try committed("command", 1))
        let before = outbox.frames(from: 0, limit: 99)

        var again = try Outbox(folder: folder)
        #expect(again.frames(from: 0, limit: 99).map(\.frame) == before.map(\.frame))
        #expect(again.frames(from: 0, limit: 99).map(\.place) == before.map(\.place))
        #expect(again.bytes == outbox.bytes)
        try again.append(try frames.command(.resetHeadPose, at: instant))
        #expect(numbers(try Outbox(folder: folder)) == [2, 3, 4, 5])
        #expect(numbers(try Outbox(folder: folder, limits: .init(frames: 2))) == [4, 5])
    }

    @Test func `Files that hold no frame are deleted and counted`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("outbox")
        var frames = frames
        var outbox = try Outbox(folder: folder)
        try outbox.append(try frames.command(.resetHeadPose, at: instant))
        for (name, text) in [
            ("00000000000000000007.frame", "wearables/d1/in/command\nb1\n3\n{\"cut\":"), ("00000000000000000008.frame", ""),
            ("00000000000000000009.frame", "wearables/d1/in/nothing\nb1\n3\n{}"), ("notes.txt", "kept"),
        ] {
            try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
        }
        var again = try Outbox(folder: folder)
        #expect(again.unreadable == 3)
        #expect(numbers(again) == [0])
        #expect(try again.append(try frames.command(.resetHeadPose, at: instant)) == 10)
        #expect(FileManager.default.fileExists(atPath: folder + "/notes.txt"))
    }

    @Test func `A file that cannot be read now is kept, and the outbox is not opened`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("outbox")
        var frames = frames
        var outbox = try Outbox(folder: folder)
        for _ in 0..<3 { try outbox.append(try frames.command(.resetHeadPose, at: instant)) }
        // A folder in its place is refused by every user, root too.
        let (path, aside) = (folder + "/00000000000000000001.frame", folder + "/aside")
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: (any Error).self) { try Outbox(folder: folder) }
        // An acknowledgement of the last frame would remove the one that was not sent.
        #expect(outbox.frames(from: 0, limit: 9).map(\.place) == [0])
        try FileManager.default.removeItem(atPath: path)
        #expect(outbox.frames(from: 0, limit: 9).map(\.place) == [0, 2], "a file that is gone is passed over")
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        #expect(outbox.frames(from: 0, limit: 9).map(\.place) == [0, 1, 2])
        #expect(numbers(try Outbox(folder: folder)) == [0, 1, 2])
    }

    @Test func `Other payloads are no acknowledgement`() {
        for text in [
            "", "{}", "[]", #"{"schema":"wearables/1","kind":"depth-state","boot":"b1","seq":1}"#,
            #"{"schema":"wearables/2","kind":"committed/command","boot":"b1","seq":1}"#,
            #"{"schema":"wearables/1","kind":"committed/nothing","boot":"b1","seq":1}"#,
            #"{"schema":"wearables/1","kind":"committed/command","boot":"b 1","seq":1}"#,
            #"{"schema":"wearables/1","kind":"committed/command","boot":"b1","seq":-1}"#,
            #"{"schema":"wearables/1","kind":"xxxxxxxxxxcommand","boot":"b1","seq":1}"#,
        ] {
            #expect(Acknowledgement(Array(text.utf8)) == nil)
        }
    }
}
