import Foundation
import GRDB

/// A column has a value of another type than it should, or one that is impossible: SQLite stores any value in any column, and so does
/// damage.
struct OtherType: Error, CustomStringConvertible {
    let column: String

    var description: String { "the column \(column) has a value of another type, or an impossible one" }
}

/// How values are read that are on disk. A subscript ends the process at a value of another type.
extension Row {
    /// The value of a column; nil where it has another type.
    func ifReadable<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        Value.fromDatabaseValue(self[column] as DatabaseValue)
    }

    /// The value of a column; throws `OtherType`.
    func stored<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        guard let value: Value = ifReadable(column) else { throw OtherType(column: column) }
        return value
    }

    /// The instant or the length of time in a column; throws `OtherType`.
    func seconds(_ column: String) throws -> Double {
        let seconds: Double = try stored(column)
        guard abs(seconds) < BelievedClock.greatestSeconds else { throw OtherType(column: column) }
        return seconds
    }

    /// The bytes of a column; throws `OtherType`.
    func bytes(_ column: String) throws -> [UInt8] { Array(try stored(column) as Data) }

    /// The number of a row in a column; throws `OtherType`, also where so many rows were never written: the next number follows it.
    func number(_ column: String) throws -> UInt64 {
        let number: Int64 = try stored(column)
        guard (0..<Self.mostRows).contains(number) else { throw OtherType(column: column) }
        return UInt64(number)
    }

    /// More than the rows that a file was ever given.
    static let mostRows: Int64 = 1 << 62

    /// What can be set aside of a column whose value may be of another type.
    func remains(_ column: String) -> [UInt8] { (try? bytes(column)) ?? Array("\(self[column] as DatabaseValue)".utf8) }
}
