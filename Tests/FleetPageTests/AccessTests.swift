@testable import FleetPage
import Testing

@Suite("Who sees the page")
struct AccessTests {
    private let token = "0123456789abcdef"

    private func verdict(
        _ access: PageAccess, host: String = "pool", path: String = "/", token: String? = nil, cookies: String? = nil,
        authorization: String? = nil
    ) -> PageAccess.Verdict {
        access.verdict(host: host, path: path, tokenInQuery: token, cookies: cookies, authorization: authorization)
    }

    @Test("Without a token everybody who uses one of its names")
    func open() {
        let access = PageAccess(hosts: ["Pool", "127.0.0.1"], token: nil)
        #expect(verdict(access) == .granted(isOperator: false))
        #expect(verdict(access, host: "127.0.0.1", path: "/api/devices") == .granted(isOperator: false))
        for host in ["", "evil.example", "pool.evil.example", "pool.", "localhost"] {
            #expect(verdict(access, host: host) == .wrongHost)
        }
    }

    @Test("The cookie is the token, so that a restart of the page signs nobody out, and another token everybody")
    func cookie() throws {
        let access = PageAccess(hosts: ["pool"], token: token)
        #expect(verdict(access) == .notSignedIn)
        guard case .signedIn(let session) = verdict(access, token: token) else {
            Issue.record("not signed in")
            return
        }
        let cookie = "a=b; \(PageAccess.cookie)=\(session); c=d"
        #expect(verdict(access, path: "/events", cookies: cookie) == .granted(isOperator: false))
        #expect(verdict(access, host: "other", path: "/events", cookies: cookie) == .wrongHost)
        #expect(verdict(access, cookies: "\(PageAccess.cookie)=\(session)x") == .notSignedIn)
        #expect(verdict(access, cookies: "\(PageAccess.cookie)=") == .notSignedIn)
        #expect(verdict(access, cookies: "x\(PageAccess.cookie)=\(session)") == .notSignedIn)
        #expect(verdict(access, cookies: "\(PageAccess.cookie)=\(token)") == .notSignedIn)
        #expect(verdict(PageAccess(hosts: ["pool"], token: token), cookies: cookie) == .granted(isOperator: false))
        #expect(verdict(PageAccess(hosts: ["pool"], token: token + "x"), cookies: cookie) == .notSignedIn)
        let odd = PageAccess(hosts: ["pool"], token: "a;b, é=")
        guard case .signedIn(let value) = verdict(odd, token: "a;b, é=") else {
            Issue.record("not signed in")
            return
        }
        #expect(
            value == "613b622c20c3a93d" && verdict(odd, cookies: "\(PageAccess.cookie)=\(value)") == .granted(isOperator: false))
    }

    @Test(
        "A wrong token opens nothing, and a token is taken for the page alone",
        arguments: ["", "0", "0123456789abcdeF", "0123456789abcdef0"])
    func wrong(_ wrong: String) {
        let access = PageAccess(hosts: ["pool"], token: token)
        #expect(verdict(access, token: wrong) == .notSignedIn)
        #expect(verdict(access, path: "/events", token: token) == .notSignedIn)
        #expect(verdict(access, path: "/api/devices", authorization: "Bearer \(wrong)") == .notSignedIn)
        #expect(verdict(access, path: "/api/devices", authorization: "Bearer \(token)") == .granted(isOperator: false))
    }

    @Test("The token of operators opens the page too, and an operator is who showed it; without one nobody is")
    func operators() throws {
        let access = PageAccess(hosts: ["pool"], token: token, operators: .token("fedcba9876543210"))
        for (shown, isOperator) in [(token, false), ("fedcba9876543210", true)] {
            guard case .signedIn(let session) = verdict(access, token: shown) else {
                Issue.record("not signed in")
                continue
            }
            let cookies = "\(PageAccess.cookie)=\(session)"
            #expect(verdict(access, path: "/events", cookies: cookies) == .granted(isOperator: isOperator))
            #expect(verdict(access, path: "/", authorization: "Bearer \(shown)") == .granted(isOperator: isOperator))
        }
        #expect(verdict(access, token: "fedcba987654321") == .notSignedIn)
        // Everybody sees a page without a token; its operators are still those who show theirs.
        let open = PageAccess(hosts: ["pool"], token: nil, operators: .token("fedcba9876543210"))
        #expect(verdict(open) == .granted(isOperator: false))
        #expect(verdict(open, token: "0") == .granted(isOperator: false))
        #expect(verdict(open, path: "/", authorization: "Bearer fedcba9876543210") == .granted(isOperator: true))
        #expect(verdict(PageAccess(hosts: ["pool"], token: nil, operators: .everybody)) == .granted(isOperator: true))
    }

    @Test("Texts are equal when all their bytes are")
    func equality() {
        #expect(PageAccess.isEqual(Array("abc".utf8), Array("abc".utf8)))
        for (given, expected) in [("abc", "abd"), ("ab", "abc"), ("abcabc", "abc"), ("", "abc"), ("", ""), ("abc", "")] {
            #expect(!PageAccess.isEqual(Array(given.utf8), Array(expected.utf8)))
        }
    }
}
