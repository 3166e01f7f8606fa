/// A request without a body: GET, HEAD, or POST where the server takes it.
package struct HTTPRequest: Sendable {
    /// `GET`, `HEAD` or `POST`.
    package let method: String

    /// The path of the target, percent-decoded, starting with a slash.
    package let path: String

    /// The query of the target, percent-decoded; of repeated names the first.
    package let query: [String: String]

    /// The authority of the target, else the `Host` field, without its port, in lower case; an IPv6 address in brackets. Empty
    /// without either.
    package let host: String

    private let fields: [(name: String, value: String)]

    /// The value of the first header field of this name, in any case; nil without one.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }

    /// Creates a request from its target and header fields; only one of HTTP/1.0 may have no `Host` field.
    ///
    /// Throws the reason why the request is bad: a target that is neither a path nor an address, a broken percent-encoding,
    /// none or several `Host` fields.
    package init(
        method: String, target: String, fields: [(name: String, value: String)], isHTTP10: Bool = false
    ) throws(BadRequest) {
        let (authority, rest) = try Self.divided(target)
        let parts = rest.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = try parts[0].isEmpty ? "/" : Self.decoded(parts[0], plusIsSpace: false)
        var query: [String: String] = [:]
        for pair in parts.dropFirst().flatMap({ $0.split(separator: UInt8(ascii: "&")) }) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(sides[0], plusIsSpace: true)
            if query[name] == nil { query[name] = try sides.count > 1 ? Self.decoded(sides[1], plusIsSpace: true) : "" }
        }
        self.query = query
        let hosts = fields.filter { $0.name.lowercased() == "host" }
        guard hosts.count == 1 || (hosts.isEmpty && isHTTP10) else {
            throw BadRequest("the request has \(hosts.isEmpty ? "no" : "several") Host fields")
        }
        // An address in the target replaces the field (RFC 9112, 3.2.2): what is judged is the name that the client asks for.
        host = Self.withoutPort(authority ?? hosts.first?.value ?? "").lowercased()
        self.method = method
        self.fields = fields
    }

    /// The authority of a target, nil where it is a path, and the path and query.
    private static func divided(_ target: String) throws(BadRequest) -> (authority: String?, rest: Substring.UTF8View) {
        let bytes = target.utf8[...]
        if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
        let start = String(decoding: bytes.prefix("https://".utf8.count), as: UTF8.self).lowercased()
        guard let scheme = ["http://", "https://"].first(where: { start.hasPrefix($0) }) else {
            throw BadRequest("the target is not a path")
        }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = String(decoding: rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }, as: UTF8.self)
        // A user in front of the name is there to mislead.
        guard !authority.isEmpty, !authority.contains("@") else { throw BadRequest("the target names no host") }
        return (authority, rest.dropFirst(authority.utf8.count))
    }

    private static func withoutPort(_ value: String) -> String {
        guard let colon = value.lastIndex(of: ":"), !value[colon...].contains("]") else { return value }
        return String(value[..<colon])
    }

    private static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) throws(BadRequest) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else {
                    throw BadRequest("a percent-encoding is broken")
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw BadRequest("the target is no UTF-8") }
        return decoded
    }
}

/// Why a request is answered with 400.
package struct BadRequest: Error, Equatable {
    /// The reason; it holds nothing that the client sent.
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
