import JSONText
import TelemetryModel

/// The kinds that a query asks for, `kinds` of the request: a kind stands for those below it, too; none stand for all.
package struct KindFilter: Sendable, Equatable {
    /// How many kinds a request may list.
    static let mostKinds = 64
    private static let longestKind = 64

    /// The kinds that are listed.
    package let names: [String]

    init(_ body: JSONNode?) throws(Rejection) {
        guard let list = try body?.optional("kinds") else {
            names = []
            return
        }
        guard try list.count() <= Self.mostKinds else {
            throw list.rejection(.invalidValue, "lists more than \(Self.mostKinds) kinds")
        }
        names = try list.map { node throws(Rejection) in try Self.name(node) }
    }

    private static func name(_ node: JSONNode) throws(Rejection) -> String {
        let name = try node.line(maximumBytes: longestKind)
        let isKnown = KindDescription.all.contains { $0.covers(name) || $0.name.hasPrefix(name + "/") }
        guard isKnown else {
            let hint = name.nearest(among: KindDescription.all.map(\.name)).map { ", did you mean \($0.quoted)?" } ?? ""
            throw node.rejection(.invalidValue, "no kind is called \(name.quoted)\(hint)")
        }
        return name
    }

    /// Whether a kind is asked for.
    package func covers(_ kind: String) -> Bool { names.isEmpty || names.contains { kind == $0 || kind.hasPrefix($0 + "/") } }
}
