import ArgumentParser
import GatewayConfiguration
import GatewayRuntime
import Glibc
import Mosquitto

/// The account of a command that connects beside the gateway.
struct AccountOptions: ParsableArguments {
    @Option(help: "The account at the broker.")
    var username: String?

    @Option(help: ArgumentHelp("The file that holds the account's password.", valueName: "file"))
    var passwordFile: String?

    /// `connection` with this account, a client id of its own and a session that ends with the connection.
    func applied(to connection: MosquittoConfiguration, role: String, of gateway: String) throws -> MosquittoConfiguration {
        var connection = connection
        connection.clientID = "\(gateway)-\(role)-\(getpid())"
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        connection.threadName = "mqtt-\(role)"
        connection.username = username ?? connection.username
        if let passwordFile {
            connection.password = try TextFile.read(passwordFile).split(separator: "\n").first.map(String.init)
        }
        return connection
    }
}
