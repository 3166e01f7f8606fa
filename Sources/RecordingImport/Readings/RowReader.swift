/// Reads the rows of one file.
protocol RowReader {
    /// The reading of a row; nil where it holds nothing for the stream, which is normal. Throws why it must be dropped.
    mutating func reading(of row: Row) throws(RowFault) -> TimedReading?

    /// Passes over a row that cannot be read at all.
    mutating func skip()

    /// The files that it reads beside.
    var companions: [SensorTrack] { get }
}

extension RowReader {
    /// Does nothing: most rows have times of their own.
    mutating func skip() {}

    /// None: most readings stand in one file.
    var companions: [SensorTrack] { [] }
}
