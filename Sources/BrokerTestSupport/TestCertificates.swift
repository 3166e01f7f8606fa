import Foundation
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
        try directory.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n", to: "server.ext")
        try directory.write("extendedKeyUsage=clientAuth\n", to: "client.ext")
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        try openssl("req -x509 \(key) -days 2 -subj /CN=authority -keyout ca.key -out ca.crt")
        for (name, subject) in [("server", "127.0.0.1"), ("client", client)] {
            try openssl("req \(key) -subj /CN=\(subject) -keyout \(name).key -out \(name).csr")
            try openssl(
                "x509 -req -in \(name).csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile \(name).ext -out \(name).crt"
            )
        }
    }

    private func openssl(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = directory.url
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NeverHappened(description: "openssl \(arguments)") }
    }
}
