/// What a check of the connections found.
package struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// How it matters.
    package enum Verdict: String, Sendable {
        /// As it should be.
        case ok
        /// Worth knowing, or not to be checked.
        case note
        /// To be changed before the gateway runs.
        case problem
    }

    package var verdict: Verdict
    /// The section or setting, such as `lanes.safety.account`.
    package var subject: String
    /// What was found, and what to change.
    package var message: String

    package init(_ verdict: Verdict, _ subject: String, _ message: String) {
        (self.verdict, self.subject, self.message) = (verdict, subject, message)
    }

    /// One line.
    package var description: String { "\(verdict.rawValue): \(subject): \(message)" }
}
