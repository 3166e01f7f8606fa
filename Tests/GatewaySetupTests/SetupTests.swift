import Foundation
import GatewaySetup
import LocalBroker
import Testing

@Suite("Init on disk", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mosquitto_passwd")))
struct SetupTests {
    private func setup(in directory: TemporaryDirectory) -> Setup {
        Setup(
            plan: SetupPlan(folder: directory.path("set-up"), user: NSUserName()),
            names: ["localhost", "127.0.0.1", "broker.example"])
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("Passwords and keys are for their owner alone, and no two passwords are equal")
    func secrets() throws {
        let directory = try TemporaryDirectory()
        try setup(in: directory).write()
        let folder = directory.path("set-up")
        #expect(try mode(folder) == 0o700)
        var passwords: Set<String> = []
        for account in SetupPlan.accounts {
            #expect(try mode("\(folder)/secrets/\(account)") == 0o600)
            let password = try String(contentsOfFile: "\(folder)/secrets/\(account)", encoding: .utf8)
            #expect(password.wholeMatch(of: /[0-9a-f]{32}\n/) != nil)
            passwords.insert(password)
        }
        #expect(passwords.count == SetupPlan.accounts.count)
        for name in ["passwords", "certs/ca.key", "certs/broker.key"] {
            #expect(try mode("\(folder)/\(name)") == 0o600, "\(name)")
        }
        let hashes = try String(contentsOfFile: "\(folder)/passwords", encoding: .utf8).split(separator: "\n")
        #expect(hashes.map { String($0.prefix { $0 != ":" }) } == SetupPlan.accounts.sorted())
        #expect(hashes.allSatisfy { $0.contains(":$7$") })
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(
            names == [
                "acl", "broker", "certs", "fathom.yaml", "mosquitto.conf", "passwords", "producers.yaml", "registry.yaml",
                "secrets",
                "state",
            ])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["set-up"])
    }

    @Test("Nothing is overwritten")
    func refused() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path("set-up"), withIntermediateDirectories: true)
        try directory.write("mine", to: "set-up/acl")
        #expect(throws: SetupError.self) { try setup(in: directory).write() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("set-up")) == ["acl"])
        #expect(try String(contentsOfFile: directory.path("set-up/acl"), encoding: .utf8) == "mine")
    }

    @Test("An empty folder is filled, and stays the same one: a shell may be in it")
    func emptyFolder() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("set-up")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let shell = open(folder, O_RDONLY | O_DIRECTORY)
        defer { close(shell) }
        try setup(in: directory).write()
        #expect(faccessat(shell, "fathom.yaml", F_OK, 0) == 0)
        #expect(try mode(folder) == 0o700)
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).contains(".new"))
    }

    @Test("What cannot be written whole is taken away, and a folder that was there stays", arguments: [true, false])
    func takenAway(isThere: Bool) throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path("set-up")
        if isThere { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        let setup = Setup(plan: SetupPlan(folder: folder, user: NSUserName()), names: ["a b"])
        #expect(throws: SetupError.self) { try setup.write() }
        #expect(FileManager.default.fileExists(atPath: folder) == isThere)
        if isThere { #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty) }
    }

    @Test("The certificate is for the given names, and a renewed one is signed by the same authority")
    func certificates() throws {
        let directory = try TemporaryDirectory()
        try setup(in: directory).write()
        let folder = directory.path("set-up/certs")
        func verify(_ options: [String]) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments =
                ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", "\(folder)/ca.crt"] + options + [
                    "\(folder)/broker.crt"
                ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(try verify(["-verify_hostname", "broker.example"]) == 0)
        #expect(try verify(["-verify_ip", "127.0.0.1"]) == 0)
        #expect(try verify(["-verify_hostname", "other.example"]) != 0)
        let authority = try String(contentsOfFile: "\(folder)/ca.crt", encoding: .utf8)
        try Certificates(in: folder, names: ["other.example"]).make()
        #expect(try String(contentsOfFile: "\(folder)/ca.crt", encoding: .utf8) == authority)
        #expect(try verify(["-verify_hostname", "other.example"]) == 0)
        #expect(throws: SetupError.self) { try Certificates(in: folder, names: ["a b"]) }
        // What cannot be made takes nothing away.
        try FileManager.default.removeItem(atPath: "\(folder)/ca.crt")
        #expect(throws: SetupError.self) { try Certificates(in: folder, names: ["third.example"]).make() }
        try authority.write(toFile: "\(folder)/ca.crt", atomically: true, encoding: .utf8)
        #expect(try verify(["-verify_hostname", "other.example"]) == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "broker.crt", "broker.key", "ca.crt", "ca.key",
            ])
        #expect(throws: SetupError.self) { try Certificates(in: folder, names: ["x, DNS:y"]) }
    }

    @Test("The certificate of an authority whose key is elsewhere is not replaced: devices trust it")
    func missingKey() throws {
        let directory = try TemporaryDirectory()
        try setup(in: directory).write()
        let folder = directory.path("set-up/certs")
        try FileManager.default.removeItem(atPath: "\(folder)/ca.key")
        func contents() throws -> [String] {
            try ["broker.crt", "ca.crt"].map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
        }
        let before = try contents()
        let error = #expect(throws: SetupError.self) { try Certificates(in: folder, names: ["other.example"]).make() }
        #expect(error?.description.contains("without ca.key: put that back") == true)
        #expect(try contents() == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["broker.crt", "broker.key", "ca.crt"])
        try FileManager.default.removeItem(atPath: "\(folder)/ca.crt")
        try Certificates(in: folder, names: ["other.example"]).make()
        #expect(try contents() != before)
    }

    @Test("Files with the line ends of another system keep their accounts")
    func lineEnds() throws {
        let directory = try TemporaryDirectory()
        for (text, name) in [("a:$7$1\r\nb:$7$2\r\n\u{301}c:$7$3\r\n", "passwords"), ("", "mosquitto.conf")] {
            try directory.write(text, to: name)
        }
        try directory.write("# roles\r\nuser gateway-in\r\ntopic read x\r\n  user analyst \t\r\n", to: "acl")
        let accounts = try #require(AccountFolder(of: directory.path("fathom.yaml")))
        try accounts.remove("a")
        let kept = try String(contentsOfFile: directory.path("passwords"), encoding: .utf8)
        #expect(kept == "b:$7$2\n\u{301}c:$7$3\n")
        #expect(accounts.roles == ["gateway-in", "analyst"])
    }

    @Test("A word for a shell is one word, whatever attaches itself to a quote", arguments: ["", "\u{301}", "\u{FE0F}"])
    func shellWords(mark: String) throws {
        let text = "a'\(mark); echo b '\(mark)"
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "printf %s \(ShellWord.quoted(text))"]
        process.standardOutput = output
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(printed == Data(text.utf8))
    }

    @Test("An account is added beside the others, replaced, and removed")
    func accounts() throws {
        let directory = try TemporaryDirectory()
        try setup(in: directory).write()
        let accounts = try #require(AccountFolder(of: directory.path("set-up/fathom.yaml")))
        func lines() throws -> [String] {
            try String(contentsOfFile: directory.path("set-up/passwords"), encoding: .utf8).split(separator: "\n").map(
                String.init)
        }
        let before = try lines()
        try accounts.add("ultra-1")
        let added = try lines()
        #expect(added.dropLast() == before[...])
        #expect(added.last?.hasPrefix("ultra-1:$7$") == true)
        #expect(try mode(accounts.secret(of: "ultra-1")) == 0o600)
        #expect(try mode(directory.path("set-up/passwords")) == 0o600)
        try accounts.add("ultra-1")
        #expect(try lines().count == added.count)
        #expect(try lines().last != added.last)
        try accounts.remove("ultra-1")
        #expect(try lines() == before)
        #expect(!FileManager.default.fileExists(atPath: accounts.secret(of: "ultra-1")))
        #expect(accounts.roles.contains("gateway-in"))
        #expect(AccountFolder(of: directory.path("fathom.yaml")) == nil)
    }

    @Test("an account is added to a set-up beside links in place of its temporary files, which are not followed")
    func links() throws {
        let directory = try TemporaryDirectory()
        try setup(in: directory).write()
        let folder = directory.path("set-up")
        let target = directory.path("target")
        try "of another".write(toFile: target, atomically: false, encoding: .utf8)
        for name in ["passwords.\(getpid()).new", "secrets/new"] {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target)
        }
        try #require(AccountFolder(of: "\(folder)/fathom.yaml")).add("new")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "of another")
        #expect(try mode("\(folder)/secrets/new") == 0o600)
    }
}
