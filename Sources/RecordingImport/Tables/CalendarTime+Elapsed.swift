import TelemetryModel

extension CalendarTime {
    /// Seconds in `m:ss`, `h:mm:ss` and these with a fraction; nil for anything else.
    static func elapsed(_ text: String) -> Double? {
        guard text.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            guard (1...9).contains(part.utf8.count), let value = Row.decimal(String(part), allowsComma: isLast), value >= 0,
                isLast || value == value.rounded(), index == 0 || value < 60
            else { return nil }
            seconds = seconds * 60 + value
        }
        return seconds
    }
}
