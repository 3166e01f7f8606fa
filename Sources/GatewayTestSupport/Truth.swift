internal import Foundation

/// What `make truth` reports: one row for each figure that is known of a derivation, the rows of the table in docs/truth.md.
package enum Truth {
    /// Prints a row.
    ///
    /// - Parameters:
    ///   - kind: The kind of message, such as `set`.
    ///   - data: The recordings, by name, or what is simulated.
    ///   - people: How many people are in them; nil for simulated ones.
    ///   - hours: How many hours they are long together.
    ///   - metric: What the figure is, with its unit.
    ///   - figure: The figure, or `no data here`.
    ///   - goal: What it has to be; empty where it has none.
    package static func row(
        _ kind: String, data: String, people: Int? = nil, hours: Double? = nil, _ metric: String, _ figure: String,
        goal: String = ""
    ) {
        let (count, length) = (people.map(String.init) ?? "", hours.map { number($0, $0 < 10 ? 2 : 0) } ?? "")
        let cells = [kind, data, count, length, metric, figure, goal]
        print("truth: | " + cells.joined(separator: " | ") + " |")
    }

    /// A number with a count of decimals.
    package static func number(_ value: Double, _ decimals: Int = 2) -> String {
        String(format: "%.\(decimals)f", value)
    }
}
