import Foundation

/// The password file of a broker.
package enum BrokerPasswords {
    /// Adds a user to the file.
    package static func add(_ user: String, _ password: String, to file: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-b", file, user, password]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NeverHappened(description: "mosquitto_passwd") }
    }
}
