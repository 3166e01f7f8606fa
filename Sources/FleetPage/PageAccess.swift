/// Who may see the page: the `Host` rule and the tokens.
package struct PageAccess: Sendable {
    /// The verdict on a request.
    package enum Verdict: Sendable, Equatable {
        /// It is answered; an operator may acknowledge alarms.
        case granted(isOperator: Bool)
        /// The token was right: the cookie is set, and the viewer sent to the page.
        case signedIn(cookie: String)
        /// The name in `Host` is none of the page's: it may be another site that points its name at this address.
        case wrongHost
        /// The token is missing or wrong.
        case notSignedIn
    }

    /// The name of the cookie.
    package static let cookie = "fathom-token"

    /// Who may acknowledge alarms.
    package enum Operators: Sendable {
        case nobody
        /// Everybody who sees the page.
        case everybody
        /// Who has shown this token, which opens the page too.
        case token(String)
    }

    private let hosts: Set<String>
    /// As the cookie has it.
    private let token: [UInt8]?
    private let operators: Operators

    /// Creates the rules; `hosts` are names without ports, in any case. Without a token everybody who reaches the page sees it.
    package init(hosts: [String], token: String?, operators: Operators = .nobody) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.token = token.map { Array(Self.value(of: $0).utf8) }
        self.operators = operators
    }

    /// The verdict on a request for `path`.
    package func verdict(host: String, path: String, tokenInQuery: String?, cookies: String?, authorization: String?) -> Verdict {
        guard hosts.contains(host) else { return .wrongHost }
        // The cookie is the token itself: who has signed in need not do so again after a restart, and a new token signs everybody out.
        if path == "/", let tokenInQuery, isOperator(with: Self.value(of: tokenInQuery)) != nil {
            return .signedIn(cookie: Self.value(of: tokenInQuery))
        }
        let bearer = authorization.flatMap { $0.hasPrefix("Bearer ") ? Self.value(of: $0.dropFirst(7)) : nil }
        if let isOperator = bearer.flatMap(isOperator(with:)) ?? Self.value(in: cookies).flatMap(isOperator(with:)) {
            return .granted(isOperator: isOperator)
        }
        return token == nil ? .granted(isOperator: isOperator(asViewer: ())) : .notSignedIn
    }

    /// Whether a viewer without the operators' token is one.
    private func isOperator(asViewer: Void) -> Bool { if case .everybody = operators { true } else { false } }

    /// Whether who shows `shown`, a token as the cookie has it, is an operator; nil where it is no token of the page.
    private func isOperator(with shown: String) -> Bool? {
        let shown = Array(shown.utf8)
        // Both are compared, so that the time is the same for either.
        let isViewer = token.map { Self.isEqual(shown, $0) } ?? false
        if case .token(let own) = operators, Self.isEqual(shown, Array(Self.value(of: own).utf8)) { return true }
        return isViewer ? isOperator(asViewer: ()) : nil
    }

    /// A token as the cookie has it: two hexadecimal digits a byte, as not every character may stand in a cookie.
    static func value(of token: some StringProtocol) -> String {
        token.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The value of the cookie in a `Cookie` field; nil without it.
    static func value(in cookies: String?) -> String? {
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
