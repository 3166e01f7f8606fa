import Foundation

/// Texts as words of a shell's command line, for commands that are printed to be copied.
enum ShellWord {
    /// The text, in quotes where it needs them.
    static func quoted(_ text: String) -> String {
        let plain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%,=".contains($0)) }
        return plain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }

    /// This program, as it was started.
    static var program: String { quoted(CommandLine.arguments.first ?? "fathom") }

    /// The broker: Debian puts it where an ordinary user's path does not lead.
    static var mosquitto: String {
        FileManager.default.isExecutableFile(atPath: "/usr/sbin/mosquitto") ? "/usr/sbin/mosquitto" : "mosquitto"
    }
}
