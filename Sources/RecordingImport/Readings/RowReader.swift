/// What makes readings of the rows of one file.
protocol RowReader {
    /// What the row says; nil where it holds nothing for the stream, as is normal. Throws why it must be dropped.
    mutating func reading(of row: Row) throws(RowFault) -> TimedReading?
}
