/// Why a row is dropped.
struct RowFault: Error, Equatable {
    /// The kind of fault, by which rows are counted in the summary.
    var kind: String
    /// The column, if one is concerned.
    var column: String?
    /// The fault of this row.
    var detail: String

    init(_ kind: String, column: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.column = column
        self.detail = detail ?? kind
    }
}
