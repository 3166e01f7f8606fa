/// A value that is stored as a part of a device's state.
package protocol StoredPart: Codable {
    /// Raised whenever a value written by an earlier version would be decoded wrongly.
    static var version: Int { get }
}

/// A part of a version that this build does not read.
struct OtherVersion: Error, CustomStringConvertible {
    let found: Int
    let expected: Int

    var description: String { "it has version \(found), this build reads \(expected)" }
}
