import Foundation

/// Writes a working set-up: configuration, registry, broker, accounts and certificates.
package struct Setup {
    package var plan: SetupPlan
    /// The names of the broker's certificate.
    package var names: [String]

    package init(plan: SetupPlan, names: [String]) {
        self.plan = plan
        self.names = names
    }

    /// Writes everything or nothing. Throws when the folder exists and is not empty, or a program is missing.
    package func write() throws(SetupError) {
        try Passwords.checkTool()
        let folder = plan.folder
        if let contents = try? FileManager.default.contentsOfDirectory(atPath: folder), !contents.isEmpty {
            throw SetupError("\(folder) is not empty: nothing is overwritten")
        }
        let temporary = "\(folder).\(getpid()).new"
        try Files.makeFolder(temporary)
        do throws(SetupError) {
            try fill(temporary)
            guard rename(temporary, folder) == 0 else { throw Files.system(folder) }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
    }

    private func fill(_ folder: String) throws(SetupError) {
        for name in plan.folders { try Files.makeFolder("\(folder)/\(name)") }
        let passwords = Dictionary(uniqueKeysWithValues: SetupPlan.accounts.map { ($0, Passwords.random()) })
        for file in plan.files(passwords: passwords, operatorToken: Passwords.random()) {
            try Files.write(file.text, to: "\(folder)/\(file.path)", isSecret: file.isSecret)
        }
        let hashed = try Passwords.hashed(passwords, in: folder)
        try Files.write(hashed, to: "\(folder)/\(SetupFolder.passwords)", isSecret: true)
        if plan.tlsPort != nil {
            try Files.makeFolder("\(folder)/\(SetupFolder.certificates)")
            try Certificates(in: "\(folder)/\(SetupFolder.certificates)", names: names).make()
        }
    }
}
