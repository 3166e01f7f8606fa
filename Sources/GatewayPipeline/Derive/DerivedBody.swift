/// The content of one kind of derived message; its kind is declared with the derivation that publishes it.
package protocol DerivedBody: Sendable, Equatable {
    /// The kind's name, fields and identity.
    static var kind: DerivedKind<Self> { get }
    /// Whether the broker keeps the latest message for those who subscribe later; as the kind says by default.
    var isRetained: Bool { get }
}

extension DerivedBody {
    /// The whole path after `out/`.
    package var path: String { Self.kind.path(of: self) }

    /// The name of the kind: the path after `out/`, with a placeholder for a second level that depends on the content.
    package static var name: String { kind.name }

    /// The first level of the path.
    var family: String { Self.kind.family }

    /// As the kind says.
    package var isRetained: Bool { Self.kind.isRetained }

    /// Whether the message is kept for the query `events`.
    var isKept: Bool { Self.kind.isKept }

    /// What distinguishes two events of one kind at one instant, so that two contents never share an id.
    var discriminator: String { Self.kind.discriminator(self) }

    /// Whether a message with this path after `out/` is of the kind.
    static func covers(_ path: String) -> Bool { KindDescription.covers(path, by: name) }

    /// Whether `other` is of the same type and equal.
    func isEqual(to other: any DerivedBody) -> Bool { other as? Self == self }
}
