package import TelemetryModel

/// How often and how much each user, and all together, may be sent; a pure value.
///
/// Users whom the topic of a request names, and others, have limits of their own each: a name that an asker chooses freely takes nothing
/// from one that the broker has checked.
package struct RequestLimits: Sendable {
    /// The verdict on one request.
    package enum Verdict: Sendable, Equatable {
        /// It may be answered.
        case allowed
        /// It is refused, with a reply.
        case refused
        /// It is refused without a reply: the user was sent a refusal within the last second. A reply to each would let a client that names
        /// another user send that user any number of messages.
        case dropped
    }

    /// How many requests a second are answered in all.
    static let mostPerSecond = 20.0
    /// How many users are remembered. For a further one, the one that was sent least is forgotten.
    static let mostUsers = 1_000
    private static let burstSeconds = 5.0
    private static let hour = 3_600.0

    /// An allowance that is used up and grows back at an even rate.
    private struct Allowance {
        let most: Double
        let perSecond: Double
        var left: Double
        var at: Double

        init(_ most: Double, perSecond: Double, at now: Double) {
            (self.most, self.perSecond, left, at) = (most, perSecond, most, now)
        }

        mutating func grow(at now: Double) {
            left = min(most, left + max(0, now - at) * perSecond)
            at = max(at, now)
        }
    }

    private struct User {
        var requests: Allowance
        var bytes: Allowance
        var refusedAt = -Double.infinity

        mutating func grow(at now: Double) {
            requests.grow(at: now)
            bytes.grow(at: now)
        }
    }

    private let perSecond: Double
    private let bytesPerHour: Double
    private var users: [Identifier: User] = [:]
    private var all: Allowance

    /// Limits for each user: requests a second, and bytes an hour; `monotonic` is the present in seconds.
    package init(perSecond: Double, bytesPerHour: Double, at monotonic: Double) {
        self.perSecond = perSecond
        self.bytesPerHour = bytesPerHour
        all = Allowance(Self.mostPerSecond, perSecond: Self.mostPerSecond, at: monotonic)
    }

    /// Judges a request of `user`, and counts it if it may be answered. An acknowledgement (`isAcknowledgement`) is also answered where the user
    /// was sent too many bytes: whoever reads what was recorded must not keep anybody from saying that an alarm was seen.
    package mutating func judge(_ user: Identifier, isAcknowledgement: Bool = false, at monotonic: Double) -> Verdict {
        all.grow(at: monotonic)
        // First, so that no more users a second are remembered and forgotten than are answered.
        guard all.left >= 1 else { return .dropped }
        var entry = users[user] ?? newUser(at: monotonic)
        entry.grow(at: monotonic)
        defer { users[user] = entry }
        if entry.requests.left >= 1, entry.bytes.left > 0 || isAcknowledgement {
            all.left -= 1
            entry.requests.left -= 1
            return .allowed
        }
        guard monotonic - entry.refusedAt >= 1 else { return .dropped }
        all.left -= 1
        entry.refusedAt = monotonic
        return .refused
    }

    /// Counts the bytes of a reply.
    package mutating func note(_ bytes: Int, sentTo user: Identifier) { users[user]?.bytes.left -= Double(bytes) }

    /// A user without requests. Forgets another one where too many are remembered: the one that has most left, so that a user does not get
    /// its own limit anew by naming others.
    private mutating func newUser(at monotonic: Double) -> User {
        if users.count >= Self.mostUsers {
            for user in users.keys { users[user]?.grow(at: monotonic) }
            let least = users.max {
                ($0.value.bytes.left, $0.value.requests.left) < ($1.value.bytes.left, $1.value.requests.left)
            }
            if let least { users[least.key] = nil }
        }
        return User(
            requests: Allowance(max(1, perSecond * Self.burstSeconds), perSecond: perSecond, at: monotonic),
            bytes: Allowance(bytesPerHour, perSecond: bytesPerHour / Self.hour, at: monotonic))
    }
}
