import Foundation

/// The users of a broker's ACL.
package struct AccessList {
    /// The account of the simulated fleet, which may write for every device: none in production.
    package static let simulator = "simulator"

    /// The users that have a section, in the order of the file.
    package let users: [String]

    /// Reads the lines of an `acl_file`.
    package init(_ text: String) {
        users = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            return words.count == 2 && words[0] == "user" ? String(words[1]) : nil
        }
    }
}
