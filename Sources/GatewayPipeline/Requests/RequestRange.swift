package import TelemetryModel

/// The time that a request is about.
package struct RequestRange: Sendable, Equatable {
    /// The first instant.
    package let from: UnixTime
    /// The first instant after it.
    package let to: UnixTime

    /// The time from `from` up to `to`.
    package init(from: UnixTime, to: UnixTime) {
        self.from = from
        self.to = to
    }

    /// Reads `from` and `to`, at most `longest` seconds apart.
    init(_ body: JSONNode?, longest: Double) throws(Rejection) {
        guard let body else { throw Rejection(.missingField, at: "/from", "the field is missing") }
        let from = try body.required("from").unixTime()
        let end = try body.required("to")
        let to = try end.unixTime()
        guard to > from, to - from <= longest else {
            throw end.rejection(.invalidValue, "\(to.seconds) is not later than from, by at most \(Int(longest)) s")
        }
        self.init(from: from, to: to)
    }
}
