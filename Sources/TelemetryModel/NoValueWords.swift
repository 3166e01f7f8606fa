/// What programs write in place of a value that they do not have: ESPHome `None`, Home Assistant `unavailable` and `unknown`, others blanks.
package enum NoValueWords {
    /// The words in small letters, the empty text among them.
    package static let all: Set<String> = [
        "", "none", "null", "nil", "undefined", "unavailable", "unknown", "n/a", "na", "-", "--", "---",
    ]
}
