import GatewayHTTP
import Testing

@Suite struct RequestTests {
    private func request(_ target: String, host: String = "a") throws -> HTTPRequest {
        try HTTPRequest(method: "GET", target: target, fields: [("Host", host), ("X-Thing", "1"), ("x-thing", "2")])
    }

    @Test func decodesPathAndQuery() throws {
        let request = try request("/a+b/%C3%A9?x=1%202&y&x=3&z=a+b&=e&w=%3D%26")
        #expect(request.path == "/a+b/é")
        #expect(request.query == ["x": "1 2", "y": "", "z": "a b", "": "e", "w": "=&"])
    }

    @Test func splitsATargetByItsBytes() throws {
        let request = try request("/a?\u{301}b=\u{301}1&\u{301}c=2")
        #expect(request.path == "/a")
        #expect(request.query == ["\u{301}b": "\u{301}1", "\u{301}c": "2"])
    }

    @Test(arguments: [
        ("Pool.Local:8080", "pool.local"), ("10.0.0.1", "10.0.0.1"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"), ("", ""),
    ])
    func readsTheHostWithoutItsPort(_ field: String, _ host: String) throws {
        #expect(try request("/", host: field).host == host)
    }

    @Test func findsHeaderFieldsInAnyCase() throws {
        #expect(try request("/").header("X-THING") == "1")
        #expect(try request("/").header("cookie") == nil)
    }

    @Test(arguments: [
        ("http://Pool:8600/a?b=c", "pool", "/a"), ("HTTPS://pool?b=c", "pool", "/"), ("http://[::1]:80", "[::1]", "/"),
        ("http://pool//a", "pool", "//a"),
    ])
    func takesTheHostOfAnAbsoluteTarget(_ target: String, _ host: String, _ path: String) throws {
        let request = try request(target, host: "other")
        #expect(request.host == host)
        #expect(request.path == path)
        #expect(request.query["b"] == (target.contains("?") ? "c" : nil))
    }

    @Test func needsOneHostFieldButForHTTP10() throws {
        #expect(try HTTPRequest(method: "GET", target: "/", fields: [], isHTTP10: true).host == "")
        #expect(throws: BadRequest.self) { try HTTPRequest(method: "GET", target: "/", fields: []) }
        #expect(throws: BadRequest.self) { try HTTPRequest(method: "GET", target: "http://a/", fields: []) }
        #expect(throws: BadRequest.self) {
            try HTTPRequest(method: "GET", target: "/", fields: [("Host", "a"), ("host", "b")], isHTTP10: true)
        }
    }

    @Test(arguments: [
        "", "a", "*", "ftp://a/", "http:/a", "http://", "http:///a", "http://?a", "http://u@a/", "http://a/%",
        "/%", "/%1", "/%g0", "/%C3", "/?a=%C3",
    ])
    func refusesBrokenTargets(_ target: String) {
        #expect(throws: BadRequest.self) { try request(target) }
    }
}
