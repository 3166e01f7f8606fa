import Foundation

/// Passwords of accounts, and the broker's file of their hashes.
package enum Passwords {
    private static let tool = "mosquitto_passwd"

    /// A random password of 128 bits: 32 letters and digits, safe in a shell and in YAML.
    package static func random() -> String {
        let halves = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
        return halves.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }

    /// Throws when `mosquitto_passwd` is not installed.
    package static func checkTool() throws(SetupError) {
        guard Tool.find(tool) == nil else { return }
        throw SetupError("mosquitto_passwd is not installed: it comes with the broker (apt-get install mosquitto)")
    }

    /// The lines of a password file with the hash of each password.
    ///
    /// The tool reads the passwords from a file in `folder`: arguments could be read by every user of the machine.
    package static func hashed(_ passwords: [String: String], in folder: String) throws(SetupError) -> String {
        let file = "\(folder)/\(SetupFolder.passwords).\(ProcessInfo.processInfo.processIdentifier)"
        let lines = passwords.sorted { $0.key < $1.key }.map { "\($0):\($1)\n" }.joined()
        try Files.write(lines, to: file, isSecret: true)
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Tool.run(tool, ["-U", file])
        return try Files.read(file)
    }
}
