import Foundation
import GatewaySetup

/// Programs in commands that are printed.
extension ShellWord {
    /// This program, as it was started.
    static var program: String { quoted(CommandLine.arguments.first ?? "fathom") }

    /// The broker: Debian puts it where an ordinary user's path does not lead.
    static var mosquitto: String {
        FileManager.default.isExecutableFile(atPath: "/usr/sbin/mosquitto") ? "/usr/sbin/mosquitto" : "mosquitto"
    }
}
