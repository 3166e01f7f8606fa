/// A request without a body: GET, HEAD, or POST where the server takes it.
package struct HTTPRequest: Sendable {
    /// `GET`, `HEAD` or `POST`.
    package let method: String

    /// The path of the target, percent-decoded, starting with a slash.
    package let path: String

    /// The query of the target, percent-decoded; of repeated names the first.
    package let query: [String: String]

    /// The `Host` field without its port, in lower case; an IPv6 address in brackets.
    package let host: String

    private let fields: [(name: String, value: String)]

    /// The value of the first header field of this name, in any case; nil without one.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }

    /// Creates a request from its target and header fields.
    ///
    /// Throws the reason why the request is bad: a target that is no path, a broken percent-encoding, none or several `Host` fields.
    package init(method: String, target: String, fields: [(name: String, value: String)]) throws(BadRequest) {
        guard target.utf8.first == UInt8(ascii: "/") else { throw BadRequest("the target is not a path") }
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = try Self.decoded(parts[0], plusIsSpace: false)
        var query: [String: String] = [:]
        for pair in parts.dropFirst().flatMap({ $0.split(separator: UInt8(ascii: "&")) }) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(sides[0], plusIsSpace: true)
            if query[name] == nil { query[name] = try sides.count > 1 ? Self.decoded(sides[1], plusIsSpace: true) : "" }
        }
        self.query = query
        let hosts = fields.filter { $0.name.lowercased() == "host" }
        guard hosts.count == 1 else { throw BadRequest("the request has \(hosts.isEmpty ? "no" : "several") Host fields") }
        host = Self.withoutPort(hosts[0].value).lowercased()
        self.method = method
        self.fields = fields
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
