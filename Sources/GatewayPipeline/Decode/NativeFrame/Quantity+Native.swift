extension Quantity {
    /// Reads `{"value", "unit"}`; throws `unknownUnit` when the unit is missing or not of the dimension.
    init(_ node: some FrameValue) throws(Rejection) {
        let value = try node.required("value").number()
        guard let unitNode = try node.member("unit") else {
            throw node.rejection(.unknownUnit, key: "unit", "the unit is missing, expected one of \(Self.symbols)")
        }
        let symbol = try unitNode.string()
        guard let unit = Unit.allCases.first(where: { $0.rawValue == symbol }) else {
            throw unitNode.rejection(.unknownUnit, "found \(symbol.quoted), expected one of \(Self.symbols)")
        }
        self.init(value, unit)
    }

    private static var symbols: String { Unit.allCases.map(\.rawValue).joined(separator: ", ") }
}
