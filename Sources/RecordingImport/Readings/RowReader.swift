/// Reads the rows of one file.
protocol RowReader {
    /// The reading of a row; nil where it holds nothing for the stream, which is normal. Throws why it must be dropped.
    mutating func reading(of row: Row) throws(RowFault) -> TimedReading?

    /// Passes over a row that cannot be read at all.
    mutating func skip()

    /// The cells of the row read last that were left out because something is wrong with them.
    mutating func takeCellFaults() -> [RowFault]
}

extension RowReader {
    /// Does nothing: most rows have times of their own.
    mutating func skip() {}

    /// None: most readings need all their cells.
    mutating func takeCellFaults() -> [RowFault] { [] }
}
