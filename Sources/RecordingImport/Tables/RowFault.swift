/// Why a row is dropped.
struct RowFault: Error, Equatable {
    /// What rows are counted by, after their number: a few words that are the same for all such rows.
    var kind: String
    /// The column that is to blame, if one is.
    var column: String?
    /// What is wrong with this very row.
    var detail: String

    init(_ kind: String, column: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.column = column
        self.detail = detail ?? kind
    }
}
