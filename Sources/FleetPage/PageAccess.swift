import Synchronization

/// Who may see the page: the `Host` rule, the token, and the sessions of those who showed it.
package final class PageAccess: Sendable {
    /// The verdict on a request.
    package enum Verdict: Sendable, Equatable {
        /// It is answered.
        case granted
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

    private let hosts: Set<String>
    private let token: [UInt8]?
    private let sessions = Mutex<[String]>([])

    /// Creates the rules; `hosts` are names without ports, in any case. Without a token everybody who reaches the page sees it.
    package init(hosts: [String], token: String?) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.token = token.map { Array($0.utf8) }
    }

    /// The verdict on a request for `path`.
    package func verdict(host: String, path: String, tokenInQuery: String?, cookies: String?, authorization: String?) -> Verdict {
        guard hosts.contains(host) else { return .wrongHost }
        guard let token else { return .granted }
        if path == "/", let tokenInQuery, Self.isEqual(Array(tokenInQuery.utf8), token) {
            return .signedIn(session: newSession())
        }
        if let authorization, authorization.hasPrefix("Bearer "), Self.isEqual(Array(authorization.dropFirst(7).utf8), token) {
            return .granted
        }
        return isOpen(Self.session(in: cookies)) ? .granted : .notSignedIn
    }

    private func newSession() -> String {
        let session = (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        sessions.withLock { sessions in
            if sessions.count >= Self.mostSessions { sessions.removeFirst() }
            sessions.append(session)
        }
        return session
    }

    private func isOpen(_ session: String?) -> Bool {
        guard let session = session.map({ Array($0.utf8) }) else { return false }
        // Every session is compared, so that the time is the same for all.
        return sessions.withLock { sessions in
            sessions.reduce(false) { Self.isEqual(session, Array($1.utf8)) || $0 }
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
