import Foundation

/// An authority of one's own, and the broker's certificate signed by it; made by openssl.
package struct Certificates: Sendable {
    /// The longest time that iOS accepts of an authority the user added, in days.
    private static let brokerDays = 800
    private static let authorityDays = 3650

    /// The folder: `ca.crt`, `ca.key`, `broker.crt`, `broker.key`.
    package let folder: String
    /// The host names and addresses by which devices reach the broker, at least one.
    package let names: [String]

    /// Whether openssl is installed.
    package static var isPossible: Bool { Tool.find("openssl") != nil }

    /// Throws when a name is neither a host name nor an address.
    package init(in folder: String, names: [String]) throws(SetupError) {
        self.folder = folder
        self.names = names
        guard !names.isEmpty else { throw SetupError("a certificate needs at least one name") }
        for name in names where !Self.isName(name) {
            throw SetupError("\(name.debugDescription) is neither a host name nor an address")
        }
    }

    /// Writes the broker's key and certificate, and an authority where there is none. Those that are there stay until all are made.
    package func make() throws(SetupError) {
        let work = "\(folder)/.certificates.\(getpid())"
        try? FileManager.default.removeItem(atPath: work)
        try Files.makeFolder(work)
        defer { try? FileManager.default.removeItem(atPath: work) }
        let configuration = "\(work)/openssl.cnf"
        try Files.write(openSSL, to: configuration)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let hasAuthority = FileManager.default.fileExists(atPath: "\(folder)/ca.key")
        guard hasAuthority || !FileManager.default.fileExists(atPath: "\(folder)/ca.crt") else {
            throw SetupError(
                "\(folder) has ca.crt, which devices trust, without ca.key: put that back, or remove ca.crt for another authority"
            )
        }
        let authority = hasAuthority ? folder : work
        if !hasAuthority {
            try Tool.run(
                "openssl",
                ["req", "-x509", "-config", configuration, "-extensions", "authority", "-subj", "/CN=Fathom authority"] + key
                    + ["-days", "\(Self.authorityDays)", "-keyout", "\(work)/ca.key", "-out", "\(work)/ca.crt"])
        }
        try Tool.run(
            "openssl",
            ["req", "-new", "-config", configuration, "-subj", "/CN=Fathom broker"] + key
                + ["-keyout", "\(work)/broker.key", "-out", "\(work)/broker.csr"])
        try Tool.run(
            "openssl",
            ["x509", "-req", "-in", "\(work)/broker.csr", "-CA", "\(authority)/ca.crt", "-CAkey", "\(authority)/ca.key"]
                + ["-CAserial", "\(work)/ca.srl", "-CAcreateserial", "-days", "\(Self.brokerDays)"]
                + ["-extfile", configuration, "-extensions", "broker", "-out", "\(work)/broker.crt"])
        for name in (hasAuthority ? [] : ["ca.key", "ca.crt"]) + ["broker.key", "broker.crt"] {
            if name.hasSuffix(".key") { chmod("\(work)/\(name)", 0o600) }
            guard rename("\(work)/\(name)", "\(folder)/\(name)") == 0 else { throw Files.system("\(folder)/\(name)") }
        }
    }

    /// Written down, because the system's configuration may add or lack extensions.
    private var openSSL: String {
        let alternatives = names.map { (Self.isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ", ")
        return """
            [req]
            distinguished_name = name
            [name]
            [authority]
            basicConstraints = critical, CA:TRUE, pathlen:0
            keyUsage = critical, keyCertSign, cRLSign
            subjectKeyIdentifier = hash
            [broker]
            basicConstraints = critical, CA:FALSE
            keyUsage = critical, digitalSignature
            extendedKeyUsage = serverAuth
            subjectAltName = \(alternatives)
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid

            """
    }

    /// Whether a certificate can be for a text: a host name or an address.
    static func isName(_ text: String) -> Bool { isAddress(text) || isHostName(text) }

    private static func isAddress(_ text: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    private static func isHostName(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-")
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            }
    }
}
