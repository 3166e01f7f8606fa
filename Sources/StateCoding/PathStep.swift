/// One step from a value to one inside it.
enum PathStep: BitwiseCopyable {
    /// By the key at an index of the document's table of names.
    case key(Int)
    /// By position in an unkeyed container.
    case element(Int)
    /// To the value a single-value container wraps.
    case wrapped

    /// The step in the path of an error; nil when it leads to the same place.
    func codingKey(names: [String]) -> PathKey? {
        switch self {
        case .key(let index): PathKey(stringValue: index < names.count ? names[index] : "")
        case .element(let index): PathKey(intValue: index)
        case .wrapped: nil
        }
    }
}

/// A key of any name, or of a position.
struct PathKey: CodingKey {
    /// The key under which classes write their superclass.
    static let superclass = PathKey(stringValue: "super")

    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
