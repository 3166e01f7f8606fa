/// A page of metrics in Prometheus' text format, version 0.0.4.
package struct MetricsText: Sendable {
    /// A value under its labels.
    package struct Sample: Sendable {
        let labels: [(name: String, value: String)]
        let value: Double

        /// A sample.
        package init(_ value: Double, _ labels: (name: String, value: String)...) {
            self.value = value
            self.labels = labels
        }

        /// A sample of a count.
        package init(_ value: Int, _ labels: (name: String, value: String)...) {
            self.value = Double(value)
            self.labels = labels
        }
    }

    /// The content type of the format.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// What has been written.
    package private(set) var text = ""

    /// An empty page.
    package init() {}

    /// Adds a metric that only increases; its name ends with `_total`. Without samples nothing is written.
    package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
        write(name, "counter", help, samples)
    }

    /// Adds a metric that goes up and down. Without samples nothing is written.
    package mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
        write(name, "gauge", help, samples)
    }

    /// Adds histograms, each under one label.
    package mutating func histogram(
        _ name: String, _ help: String, by label: String, _ histograms: [(value: String, histogram: Histogram)]
    ) {
        guard !histograms.isEmpty else { return }
        begin(name, "histogram", help)
        for (value, histogram) in histograms {
            var total = 0
            for (index, count) in histogram.counts.enumerated() {
                total &+= count
                let bound = index < histogram.bounds.count ? histogram.bounds[index] : .infinity
                line("\(name)_bucket", [(label, value), ("le", Self.number(bound))], Double(total))
            }
            line("\(name)_sum", [(label, value)], histogram.sum)
            line("\(name)_count", [(label, value)], Double(total))
        }
    }

    private mutating func write(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        begin(name, type, help)
        for sample in samples { line(name, sample.labels, sample.value) }
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{"
            for (index, label) in labels.enumerated() {
                text += "\(index == 0 ? "" : ",")\(label.name)=\"\(Self.escaped(label.value, quoted: true))\""
            }
            text += "}"
        }
        text += " \(Self.number(value))\n"
    }

    private static func escaped(_ text: String, quoted: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else { return text }
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quoted: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// A number as the format has it: whole numbers without a fraction, `+Inf`, `-Inf` and `NaN`.
    private static func number(_ value: Double) -> String {
        if let whole = Int(exactly: value) { return String(whole) }
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value.description
    }
}
