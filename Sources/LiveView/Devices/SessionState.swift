import GatewayPipeline

/// The latest session of a device.
package struct SessionState: Sendable, Hashable {
    /// HealthKit's name of the activity in words, safe to print; nil where the device gives none.
    package let activity: String?
    /// `running`, `paused` or `ended`.
    package let state: String
    /// When it began, unix seconds.
    package let start: Double
    /// When it ended, unix seconds; nil before.
    package let end: Double?
    private let at: Double

    /// A session that is younger than this at its first message has just begun, in s.
    private static let newSeconds = 15.0

    /// The session of a message of any part; nil where it does not describe one.
    init?(_ fields: ShownFields) {
        guard let at = fields.at, let start = fields.number("start"), let state = fields.text("state") else { return nil }
        self.at = at
        self.start = start
        self.state = state
        end = fields.number("end")
        activity = fields.words("activity")
    }

    /// Whether it replaces `other`: parts are published one after another, and late data publish an old session again. One that goes on
    /// replaces any that has ended: its start is earlier where the device's clock was ahead.
    func replaces(_ other: SessionState?) -> Bool {
        guard let other else { return true }
        return (end == nil && other.end != nil && start != other.start) || (start, at) >= (other.start, other.at)
    }

    /// What has happened since `before`; nil where nothing has.
    func news(since before: SessionState?) -> Phrase? {
        let isKnown = before?.start == start
        guard !isKnown || before?.state != state else { return nil }
        switch state {
        case "running" where isKnown: return Phrase("\(name) goes on", .good)
        case "running" where at - start < Self.newSeconds: return Phrase("\(name) begins", .good)
        case "running": return Phrase("\(name) since \((at - start).clock)", .good)
        case "paused": return Phrase("\(name) paused", .quiet)
        default: return Phrase("\(name) ended after \(((end ?? at) - start).clock)", .quiet)
        }
    }

    /// The session at `now`, unix seconds, in a few words.
    func text(at now: Double) -> String {
        switch state {
        case "running": "\(name) \((now - start).clock)"
        case "paused": "\(name) paused"
        default: "\(name) ended after \(((end ?? at) - start).clock)"
        }
    }

    private var name: String { activity ?? "workout" }
}
