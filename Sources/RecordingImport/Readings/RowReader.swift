/// Reads the rows of one file.
protocol RowReader {
    /// The reading of a row; nil where it holds nothing for the stream, which is normal. Throws why it must be dropped.
    mutating func reading(of row: Row) throws(RowFault) -> TimedReading?
}
