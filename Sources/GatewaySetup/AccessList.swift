import Foundation

/// The users of a broker's ACL.
package struct AccessList {
    /// The account of the simulated fleet, which may write for every device: none in production.
    package static let simulator = "simulator"

    /// The users that have a section, in the order of the file.
    package let users: [String]

    /// Reads the lines of an `acl_file`. As the broker does, it ignores blanks and carriage returns at their ends.
    package init(_ text: String) {
        users = text.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.count == 2 && words[0] == "user" ? String(words[1]) : nil
        }
    }
}
