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

    /// The session of a message of any part; nil where it does not describe one.
    init?(_ fields: DerivedFields) {
        guard let at = fields.at, let start = fields.start, let state = fields.state else { return nil }
        self.at = at
        self.start = start
        self.state = state.printable
        end = fields.end
        activity = fields.activity?.words.printable
    }

    /// Whether it replaces `other`: parts are published one after another, and late data publish an old session again.
    func replaces(_ other: SessionState?) -> Bool {
        other.map { (start, at) >= ($0.start, $0.at) } ?? true
    }
}
