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
        let (folder, files) = (plan.folder, FileManager.default)
        let isNew = mkdir(folder, 0o700) == 0
        guard isNew || errno == EEXIST else { throw Files.system(folder) }
        guard let contents = try? files.contentsOfDirectory(atPath: folder) else {
            throw SetupError("\(folder) is no folder that can be read")
        }
        guard contents.isEmpty else { throw SetupError("\(folder) is not empty: nothing is overwritten") }
        // Inside, and moved from there: a folder that exists may be that of a shell, or of a volume, and cannot be replaced.
        let temporary = "\(folder)/.new"
        try Files.makeFolder(temporary)
        var made = [temporary]
        do throws(SetupError) {
            guard chmod(folder, 0o700) == 0 else { throw Files.system(folder) }
            try fill(temporary)
            for name in (try? files.contentsOfDirectory(atPath: temporary)) ?? [] {
                let path = "\(folder)/\(name)"
                guard rename("\(temporary)/\(name)", path) == 0 else { throw Files.system(path) }
                made.append(path)
            }
            guard rmdir(temporary) == 0 else { throw Files.system(temporary) }
        } catch {
            for path in made { try? files.removeItem(atPath: path) }
            if isNew { rmdir(folder) }
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
