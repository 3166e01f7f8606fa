/// The content of one kind of derived message; its declaration stands with the derivation that makes it.
package protocol DerivedBody: Sendable, Equatable {
    /// The kind's name, fields and identity.
    static var kind: DerivedKind<Self> { get }
}

extension DerivedBody {
    /// The whole path after `out/`.
    package var path: String { Self.kind.path(of: self) }

    /// Whether the broker keeps the latest message for those who subscribe later.
    package var isRetained: Bool { Self.kind.isRetained }

    /// What distinguishes two events of one kind at one instant, so that one id never stands for two contents.
    var discriminator: String { Self.kind.discriminator(self) }

    /// Whether `other` is of the same type and equal.
    func isEqual(to other: any DerivedBody) -> Bool { other as? Self == self }
}
