import ArgumentParser
import GatewayConfiguration
import GatewayRuntime
import Glibc
import Mosquitto

/// The account of a command that connects beside the gateway.
struct AccountOptions: ParsableArguments {
    @Option(help: "The account at the broker. For another one than the configured its password is needed too.")
    var username: String?

    @Option(help: ArgumentHelp("The file that holds the account's password.", valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds it.", valueName: "name"))
    var passwordVariable: String?

    func validate() throws {
        if passwordFile != nil, passwordVariable != nil {
            throw ValidationError("give one of --password-file and --password-variable")
        }
        if let passwordVariable, Environment.variables[passwordVariable] == nil {
            throw ValidationError("--password-variable: \(passwordVariable) is not set")
        }
    }

    /// Throws unless `--username` is given, the configuration names `account`, or it needs none: with the account of the gateway, a broker
    /// that makes the account the client id would end the gateway's connection.
    func requireOwn(
        _ account: GatewayConfiguration.Account, beside gateway: GatewayConfiguration.Account,
        in configuration: GatewayConfiguration,
        with rights: String
    ) throws {
        guard username == nil, !configuration[account].isNamed, configuration[gateway].isNamed else { return }
        throw Terminal.failure(
            "an account of its own is needed, \(rights): \(account.path) in the configuration, or --username and --password-file. The "
                + "gateway's own account is not used, as the broker would end the gateway's connection.")
    }

    /// `connection` with this account, and a session that ends with the connection. Without a client id of the configuration it has one of the
    /// process, so that a program may run twice.
    func applied(
        to connection: MosquittoConfiguration, as program: GatewayConfiguration.Account, in configuration: GatewayConfiguration
    ) throws -> MosquittoConfiguration {
        var connection = connection
        connection.clientID = configuration[program].clientID ?? "\(configuration.clientID(of: program))-\(getpid())"
        connection.cleanStart = true
        connection.sessionExpirySeconds = 0
        // The configured password is not another account's.
        if let username, username != connection.username { (connection.username, connection.password) = (username, nil) }
        if let passwordVariable { connection.password = Environment.variables[passwordVariable] }
        if let passwordFile {
            do throws(SettingFault) { connection.password = try Secret.read(passwordFile).reveal } catch {
                throw GatewayError("--password-file: \(passwordFile) \(error.message)")
            }
        }
        return connection
    }
}
