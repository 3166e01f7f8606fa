import JSONText
package import TelemetryModel

/// The request `acknowledge`: somebody has seen an alarm.
///
/// Request: `{"alarm": "past-limit", "by": "Ada"}`. `alarm` is what follows `out/alarm/` in the topic. `by` is the word of who asks: nothing proves
/// it, and a broker's ACL decides who may ask.
package struct AcknowledgeQuery: Sendable, Equatable {
    private static let longestLevel = 129
    /// In Unicode scalars, of any script.
    private static let longestName = 64

    /// What follows `out/alarm/` in the alarm's topic.
    package let level: String
    /// Who has seen it.
    package let person: String

    init(_ body: JSONNode?) throws(RequestFailure) {
        do throws(Rejection) {
            guard let body else { throw Rejection(.missingField, at: "/alarm", "the field is missing") }
            level = try body.required("alarm").line(maximumBytes: Self.longestLevel)
            person = try body.required("by").line(maximumBytes: 4 * Self.longestName)
        } catch {
            throw RequestFailure(error)
        }
        guard !level.isEmpty else { throw RequestFailure(.badRequest, at: "/alarm", "the text is empty") }
        guard !person.allSatisfy(\.isWhitespace) else { throw RequestFailure(.badRequest, at: "/by", "the text is empty") }
        guard person.unicodeScalars.count <= Self.longestName else {
            throw RequestFailure(.badRequest, at: "/by", "the text has more than \(Self.longestName) characters")
        }
    }

    /// Throws unless a rule in force can raise the alarm of `device`.
    func check(_ settings: DeriveSettings, of device: DeviceID) throws(RequestFailure) {
        let alarms = settings[AlarmDerivation.self]
        guard settings.isEnabled(AlarmDerivation.self), alarms.covers(Alarm.path(of: level), of: device) else {
            let known = alarms.levels(of: device)
            let hint = level.nearest(among: known).map { ", did you mean \($0.quoted)?" } ?? ""
            throw RequestFailure(.unknownAlarm, at: "/alarm", "\(device) has no alarm called \(level.quoted)\(hint)")
        }
    }

    /// The acknowledgement at `now`.
    package func acknowledgement(at now: UnixTime) -> AlarmAcknowledgement {
        AlarmAcknowledgement(level: level, person: person, at: now)
    }

    /// The reply once it is stored: the alarm as it is now, acknowledged by this request or by an earlier one.
    package func reply(to request: Request, _ alarm: Alarm, at now: UnixTime) -> Reply {
        .holding(request, at: now) { json in
            json.field("alarm", alarm.level)
            json.field("state", alarm.state.rawValue)
            json.field("acknowledgedBy", alarm.acknowledgedBy)
            json.seconds("acknowledgedAt", alarm.acknowledgedAt?.seconds)
        }
    }

    /// The failure where the alarm is not raised.
    package var notRaised: RequestFailure {
        .init(.notRaised, at: "/alarm", "the alarm \(level.quoted) is not raised: there is nothing to acknowledge")
    }
}
