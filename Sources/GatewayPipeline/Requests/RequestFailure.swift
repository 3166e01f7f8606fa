package import TelemetryModel

/// Why a request is not answered with data; published as the reply.
package struct RequestFailure: Error, Sendable, Equatable {
    /// The reason, from a closed list: `error` of the reply.
    package enum Reason: String, Sendable, CaseIterable {
        /// The request is not well-formed.
        case badRequest
        /// The query has no field of that name.
        case unknownField
        /// There is no query of that name.
        case unknownQuery
        /// The device is not in the registry, or may not be used.
        case unknownDevice
        /// The device can have no alarm of that name.
        case unknownAlarm
        /// The alarm is not raised.
        case notRaised
        /// A kind is asked for to which the person has not consented.
        case notAuthorized
        /// The user asks too often, or was sent too much.
        case tooMany
        /// The reply would be too large.
        case tooLarge
        /// The gateway has no state directory, so it keeps nothing of the kind.
        case notStored
        /// The data cannot be read at present.
        case unavailable
    }

    /// The reason.
    package var reason: Reason
    /// A JSON pointer to the place in the request; empty for the whole.
    package var pointer = ""
    /// One sentence.
    package var detail: String

    /// A failure.
    package init(_ reason: Reason, at pointer: String = "", _ detail: String) {
        self.reason = reason
        self.pointer = pointer
        self.detail = detail
    }

    /// The person who wears the device has not consented to `kind`, the kind at `index` of the request.
    static func notConsented(to kind: String, at index: Int) -> RequestFailure {
        .init(.notAuthorized, at: "/kinds/\(index)", "the registry has no consent to \(kind) for this device")
    }

    /// `user` asks too often, or was sent too much.
    package static func tooMany(_ user: Identifier) -> RequestFailure { .init(.tooMany, "\(user) asks too often") }

    /// The reply would have more than `most` bytes.
    static func tooLarge(_ most: Int) -> RequestFailure {
        .init(.tooLarge, "the reply has more than \(most) bytes: ask for less")
    }

    /// Nothing is stored.
    package static var notStored: RequestFailure { .init(.notStored, "the gateway has no gateway.stateDirectory") }

    /// The data cannot be read.
    package static var unavailable: RequestFailure { .init(.unavailable, "the data cannot be read at present") }

    /// The failure of a request that cannot be read.
    init(_ rejection: Rejection) { self.init(.badRequest, at: rejection.pointer, rejection.detail) }
}
