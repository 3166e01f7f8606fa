import Mosquitto
import GatewayPipeline
import TelemetryModel

/// The alarms that somebody is still to be told of, and when each is tried: those of one topic in their order, and of several topics those that
/// were never tried before those that were, then the severest, then those of devices of which nothing has failed.
///
/// A value without clock, process and file.
struct NoticeQueue: Sendable {
    /// One alarm message that waits.
    struct Notice: Sendable, Equatable {
        /// Its number in the store; later messages have greater ones.
        var number: Int64
        var topic: String
        var severity: AlarmSeverity

        /// The topic up to the device.
        fileprivate var device: Substring {
            topic.firstRange(of: "/out/").map { topic[..<$0.lowerBound] } ?? topic[...]
        }
    }

    /// How many messages wait at most; then no more are read, and the broker keeps them.
    static let most = 5_000
    /// How many messages of one topic wait at most; then the oldest is left out. A command that fails for one alarm for ever takes no more.
    static let mostOfTopic = 16
    /// How many commands run at once.
    static let mostRunning = 4
    /// How many of them may be for alarms that are not critical, and how many for alarms that were tried before: one that is new does not wait
    /// for commands that fail.
    private static let mostOrdinary = 3
    private static let mostRetries = 3
    private static let firstPause = 2.0
    /// The longest pause between two tries, in s.
    private static let longestPause: [AlarmSeverity: Double] = [.critical: 60, .warning: 300, .info: 300]

    private struct Track {
        var waiting: [Notice] = []
        var tries = 0
        var dueAt: MonotonicInstant?
        var isRunning = false
    }

    private var tracks: [String: Track] = [:]
    private(set) var count = 0
    private var running: [AlarmSeverity: Int] = [:]

    /// Whether more messages may be read.
    var hasRoom: Bool { count < Self.most }

    /// Adds a message. Returns the one of its topic that is left out for it: the oldest that no command is running for.
    mutating func add(_ notice: Notice) -> Notice? {
        var track = tracks[notice.topic] ?? Track()
        track.waiting.append(notice)
        let isFull = track.waiting.count > Self.mostOfTopic
        let omitted = isFull ? track.waiting.remove(at: track.isRunning ? 1 : 0) : nil
        count += isFull ? 0 : 1
        tracks[notice.topic] = track
        return omitted
    }

    /// Takes the message that a command is started for now; nil when none is due, or as many run as may.
    mutating func next(at now: MonotonicInstant) -> Notice? {
        let due = startable.filter { $0.dueAt.map { $0 <= now } ?? true }
        guard !due.isEmpty else { return nil }
        let failing = Set(tracks.values.lazy.filter { $0.tries > 0 || $0.isRunning }.compactMap(\.waiting.first?.device))
        func precedes(_ first: Track, _ second: Track) -> Bool {
            guard let one = first.waiting.first, let other = second.waiting.first else { return false }
            if (first.tries > 0) != (second.tries > 0) { return first.tries == 0 }
            if one.severity != other.severity { return one.severity > other.severity }
            let (isFailing, othersFailing) = (failing.contains(one.device), failing.contains(other.device))
            return isFailing == othersFailing ? one.number < other.number : othersFailing
        }
        guard let notice = due.min(by: precedes)?.waiting.first else { return nil }
        tracks[notice.topic]?.isRunning = true
        running[notice.severity, default: 0] += 1
        return notice
    }

    /// The topics for which a command may be started beside those that run.
    private var startable: [Track] {
        let all = running.values.reduce(0, +)
        let mayBeCritical = all < Self.mostRunning
        let mayBeOrdinary = mayBeCritical && all - running[.critical, default: 0] < Self.mostOrdinary
        let mayBeRetried = tracks.values.lazy.filter { $0.isRunning && $0.tries > 0 }.count < Self.mostRetries
        return tracks.values.filter { track in
            !track.isRunning && (track.waiting.first?.severity == .critical ? mayBeCritical : mayBeOrdinary)
                && (track.tries == 0 || mayBeRetried)
        }
    }

    /// Removes a message whose command has succeeded.
    mutating func told(_ notice: Notice) {
        guard var track = end(notice) else { return }
        track.waiting.removeFirst()
        (track.tries, track.dueAt) = (0, nil)
        count -= 1
        tracks[notice.topic] = track.waiting.isEmpty ? nil : track
    }

    /// Leaves a message whose command has failed for a later try; returns the pause until then, in s, and how many tries there were.
    mutating func failed(_ notice: Notice, at now: MonotonicInstant) -> (pause: Double, tries: Int) {
        guard var track = end(notice) else { return (0, 0) }
        track.tries = min(track.tries + 1, 1_000_000)
        let longest = Self.longestPause[notice.severity] ?? 300
        let pause = min(longest, Self.firstPause * Double(1 << min(track.tries - 1, 10)))
        track.dueAt = now + pause
        tracks[notice.topic] = track
        return (pause, track.tries)
    }

    /// When a message that waits for a later try is due; nil when none does, or none would start before a command ends.
    var nextDue: MonotonicInstant? { startable.compactMap(\.dueAt).min() }

    private mutating func end(_ notice: Notice) -> Track? {
        guard var track = tracks[notice.topic], track.isRunning, track.waiting.first == notice else { return nil }
        track.isRunning = false
        running[notice.severity, default: 1] -= 1
        return track
    }
}
