import Foundation

/// Certificates for one test, made by openssl.
enum Certificates {
    /// Writes `ca.crt` and, signed by it, a certificate and key for each common name, valid for a day and for 127.0.0.1.
    static func make(in folder: String, names: [String]) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try openssl(
            ["req", "-x509", "-days", "1", "-subj", "/CN=authority", "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.crt"]
                + key)
        try "subjectAltName=IP:127.0.0.1".write(toFile: "\(folder)/extensions", atomically: false, encoding: .utf8)
        for name in names {
            let file = "\(folder)/\(name)"
            try openssl(["req", "-subj", "/CN=\(name)", "-keyout", "\(file).key", "-out", "\(file).csr"] + key)
            try openssl(
                [
                    "x509", "-req", "-in", "\(file).csr", "-CA", "\(folder)/ca.crt", "-CAkey", "\(folder)/ca.key",
                    "-CAcreateserial",
                ]
                    + ["-days", "1", "-extfile", "\(folder)/extensions", "-out", "\(file).crt"])
        }
    }

    private struct Failure: Error {
        let output: String
    }

    private static func openssl(_ arguments: [String]) throws {
        let outcome = try Tool.run("openssl", arguments)
        if outcome.status != 0 { throw Failure(output: outcome.output) }
    }
}
