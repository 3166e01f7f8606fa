import Foundation

/// The accounts of a folder that `fathom init` has written.
package struct AccountFolder {
    package let path: String

    /// The folder of a file, if it has the broker's passwords too.
    package init?(of file: String) {
        path = URL(filePath: file).deletingLastPathComponent().path
        let names = [SetupFolder.passwords, SetupFolder.broker]
        guard names.allSatisfy({ FileManager.default.fileExists(atPath: "\(path)/\($0)") }) else { return nil }
    }

    /// Users that are no device's: those with a section in the folder's ACL.
    package var roles: [String] {
        AccessList((try? Files.read("\(path)/\(SetupFolder.acl)")) ?? ShippedFiles.acl).users
    }

    /// Where the password of an account is.
    package func secret(of account: String) -> String { "\(path)/\(SetupFolder.secret(of: account))" }

    /// Whether the broker has an account.
    package func has(_ account: String) -> Bool {
        let text = (try? Files.read("\(path)/\(SetupFolder.passwords)")) ?? ""
        return text.split(whereSeparator: \.isNewline).contains { $0.utf8.starts(with: "\(account):".utf8) }
    }

    /// Adds an account with a random password, and replaces one of that name.
    package func add(_ account: String) throws(SetupError) {
        try Passwords.checkTool()
        let password = Passwords.random()
        let line = try Passwords.hashed([account: password], in: path)
        let secret = secret(of: account)
        unlink(secret)
        try Files.write(password + "\n", to: secret, isSecret: true)
        try change(removing: account, adding: line)
    }

    /// Removes an account and its password.
    package func remove(_ account: String) throws(SetupError) {
        try change(removing: account, adding: "")
        unlink(secret(of: account))
    }

    /// Makes the broker of this folder read its accounts again; false when it does not run.
    package func reloadBroker() -> Bool {
        guard let text = try? Files.read("\(path)/\(SetupFolder.brokerProcess)"),
            let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            process > 1, (try? Files.read("/proc/\(process)/comm")) == "mosquitto\n"
        else { return false }
        return kill(process, SIGHUP) == 0
    }

    private func change(removing account: String, adding line: String) throws(SetupError) {
        let file = "\(path)/\(SetupFolder.passwords)"
        // "\r\n" is one `Character`: split at "\n" alone, a file that an editor of another system has written would be one line.
        let kept = try Files.read(file).split { $0 == "\n" || $0 == "\r\n" }.filter { !$0.utf8.starts(with: "\(account):".utf8) }
        try Files.replace(file, with: kept.map { "\($0)\n" }.joined() + line)
    }
}

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
