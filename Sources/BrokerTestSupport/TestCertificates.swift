package import Foundation
package import LocalBroker

/// An authority with a server certificate for 127.0.0.1 and localhost, and one client certificate, made by openssl.
package struct TestCertificates: Sendable {
    /// Where the files are.
    package let directory: TemporaryDirectory

    /// The authority's certificate.
    package var authority: String { directory.path("ca.crt") }

    /// Makes the certificates; valid for two days.
    package init(client: String, in directory: TemporaryDirectory) throws {
        self.directory = directory
        try Self.make(
            in: directory.url,
            [
                ("server", "127.0.0.1", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
                ("client", client, "extendedKeyUsage=clientAuth"),
            ])
    }

    /// Writes into `folder` the authority's certificate `ca.crt`, and certificates and keys that it has signed.
    package static func make(in folder: URL, _ certificates: [(name: String, subject: String, options: String)]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        try openssl("req -x509 \(key) -days 2 -subj /CN=authority -keyout ca.key -out ca.crt", in: folder)
        for (name, subject, options) in certificates {
            try "\(options)\n".write(to: folder.appending(path: "\(name).ext"), atomically: false, encoding: .utf8)
            try openssl("req \(key) -subj /CN=\(subject) -keyout \(name).key -out \(name).csr", in: folder)
            try openssl(
                "x509 -req -in \(name).csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile \(name).ext -out \(name).crt",
                in: folder)
        }
    }

    private static func openssl(_ arguments: String, in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NeverHappened(description: "openssl \(arguments)") }
    }
}
