import Synchronization

/// Who may see the page: the `Host` rule, the token, and the sessions of those who showed it.
package final class PageAccess: Sendable {
    /// The verdict on a request.
    package enum Verdict: Sendable, Equatable {
        /// It is answered; an operator may acknowledge alarms.
        case granted(isOperator: Bool)
        /// The token was right: the session's cookie is set, and the viewer sent to the page.
        case signedIn(session: String)
        /// The name in `Host` is none of the page's: it may be another site that points its name at this address.
        case wrongHost
        /// Token or session are missing or wrong.
        case notSignedIn
    }

    /// The name of the cookie.
    package static let cookie = "fathom-session"

    private static let mostSessions = 256

    /// Who may acknowledge alarms.
    package enum Operators: Sendable {
        case nobody
        /// Everybody who sees the page.
        case everybody
        /// Who has shown this token, which opens the page too.
        case token(String)
    }

    private struct Session {
        var id: [UInt8]
        var isOperator: Bool
    }

    private let hosts: Set<String>
    private let token: [UInt8]?
    private let operators: Operators
    private let sessions = Mutex<[Session]>([])

    /// Creates the rules; `hosts` are names without ports, in any case. Without a token everybody who reaches the page sees it.
    package init(hosts: [String], token: String?, operators: Operators = .nobody) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.token = token.map { Array($0.utf8) }
        self.operators = operators
    }

    /// The verdict on a request for `path`.
    package func verdict(host: String, path: String, tokenInQuery: String?, cookies: String?, authorization: String?) -> Verdict {
        guard hosts.contains(host) else { return .wrongHost }
        if path == "/", let isOperator = tokenInQuery.flatMap(isOperator(with:)) {
            return .signedIn(session: newSession(isOperator: isOperator))
        }
        let bearer = authorization.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        if let isOperator = bearer.flatMap(isOperator(with:)) ?? isOperator(of: Self.session(in: cookies)) {
            return .granted(isOperator: isOperator)
        }
        return token == nil ? .granted(isOperator: isOperator(asViewer: ())) : .notSignedIn
    }

    /// Whether a viewer without the operators' token is one.
    private func isOperator(asViewer: Void) -> Bool { if case .everybody = operators { true } else { false } }

    /// Whether who shows `shown` is an operator; nil where it is no token of the page.
    private func isOperator(with shown: String) -> Bool? {
        let shown = Array(shown.utf8)
        // Both are compared, so that the time is the same for either.
        let isViewer = token.map { Self.isEqual(shown, $0) } ?? false
        if case .token(let own) = operators, Self.isEqual(shown, Array(own.utf8)) { return true }
        return isViewer ? isOperator(asViewer: ()) : nil
    }

    private func newSession(isOperator: Bool) -> String {
        let session = (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        sessions.withLock { sessions in
            if sessions.count >= Self.mostSessions { sessions.removeFirst() }
            sessions.append(Session(id: Array(session.utf8), isOperator: isOperator))
        }
        return session
    }

    /// Whether the viewer of an open session is an operator; nil where it is not open.
    private func isOperator(of session: String?) -> Bool? {
        guard let session = session.map({ Array($0.utf8) }) else { return nil }
        // Every session is compared, so that the time is the same for all.
        return sessions.withLock { sessions in
            sessions.reduce(nil as Bool?) { found, each in Self.isEqual(session, each.id) ? each.isOperator : found }
        }
    }

    /// The session in a `Cookie` field; nil without one.
    static func session(in cookies: String?) -> String? {
        for pair in (cookies ?? "").split(separator: ";") {
            let pair = pair.drop { $0 == " " }
            if pair.hasPrefix(cookie + "=") { return String(pair.dropFirst(cookie.count + 1)) }
        }
        return nil
    }

    /// Whether two texts are equal; the time depends on the length of `given` alone.
    static func isEqual(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
        guard !expected.isEmpty else { return false }
        var difference = UInt8(given.count == expected.count ? 0 : 1)
        for (index, byte) in given.enumerated() { difference |= byte ^ expected[index % expected.count] }
        return difference == 0
    }
}
