/// The numbers of the messages that are read.
package enum FITNumber {
    /// The sport that was chosen.
    package static let sport: UInt16 = 12
    /// One sport of an activity, or a dive.
    package static let session: UInt16 = 18
    /// What was measured at an instant.
    package static let record: UInt16 = 20
    /// The timer was started or stopped, among others.
    package static let event: UInt16 = 21
}

/// The numbers of fields that more than one message has.
enum FITField {
    static let timestamp: UInt8 = 253
}

/// The content of a `record`.
package struct FITRecord: Sendable, Equatable {
    /// m under the surface.
    package var depth: Double?
    /// Pa.
    package var absolutePressure: Double?
    /// Degrees Celsius.
    package var temperature: Double?
    /// m over the sea.
    package var altitude: Double?
    /// m since the activity began.
    package var distance: Double?
    /// m/s.
    package var speed: Double?
    /// Turns of the crank, or double steps, a minute.
    package var cadence: Double?

    /// The content of `message`, which is a `record`.
    package init(_ message: FITMessage) {
        depth = message.number(92, scale: 1000)
        absolutePressure = message.number(91)
        temperature = message.number(13)
        altitude = message.number(78, scale: 5, offset: 500) ?? message.number(2, scale: 5, offset: 500)
        distance = message.number(5, scale: 100)
        speed = message.number(73, scale: 1000) ?? message.number(6, scale: 1000)
        cadence = message.number(4).map { $0 + (message.number(53, scale: 128) ?? 0) }
    }
}

/// What happened to the timer of an activity.
package enum FITTimer: Sendable, Equatable {
    case start, stop

    /// The content of `message`; nil where it is no `event`, or another event than the timer's.
    package init?(event message: FITMessage) {
        guard message.number == FITNumber.event, message.integer(0) == 0 else { return nil }
        switch message.integer(1) {
        case 0: self = .start
        case 1, 4, 8, 9: self = .stop
        default: return nil
        }
    }
}

/// The content of a `session`.
package struct FITSession: Sendable, Equatable {
    /// When it began, in seconds since 1989-12-31.
    package var start: UInt32
    /// When it ended, in seconds since 1989-12-31.
    package var end: UInt32
    /// The number of the sport.
    package var sport: Int64?

    /// The content of `message`, which is a `session`; nil where it does not say when it began.
    package init?(_ message: FITMessage) {
        guard let start = message.integer(2).flatMap(UInt32.init(exactly:)) else { return nil }
        self.start = start
        let seconds = message.number(7, scale: 1000) ?? 0
        end = UInt32(exactly: (Double(start) + seconds).rounded(.up)) ?? .max
        sport = message.integer(5)
    }
}

extension FITMessage {
    /// The number of the sport that a `sport` names.
    package var sport: Int64? { integer(0) }
}
