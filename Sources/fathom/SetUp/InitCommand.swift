import ArgumentParser
import Foundation
import GatewaySetup
import LocalBroker
import TelemetryModel

/// `fathom init`: a working set-up in a new folder.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a working configuration: gateway, broker, accounts, certificates.",
        discussion: """
            Writes fathom.yaml, registry.yaml, producers.yaml, mosquitto.conf, acl, the broker's password file, a file with the \
            password of each account, and the broker's certificate with an authority of its own. Needs mosquitto_passwd, and \
            openssl for certificates; without openssl devices on other machines cannot connect. The folder must be new or \
            empty: nothing is overwritten.
            """)

    @Argument(help: ArgumentHelp("The folder.", valueName: "folder"))
    var folder: String

    @Option(
        help: ArgumentHelp(
            "A name or address by which devices reach the broker, for its certificate, beside those of this machine. May be repeated.",
            valueName: "host"))
    var name: [String] = []

    @Option(help: "The broker's port for programs on this machine.")
    var port: UInt16 = 1883

    @Option(help: "The broker's port for devices, with TLS.")
    var tlsPort: UInt16 = 8883

    @Option(help: ArgumentHelp("The gateway's name, in fathom/{gateway}/status.", valueName: "name"))
    var gateway = "gateway"

    func validate() throws {
        guard Identifier(gateway) != nil else { throw ValidationError("--gateway must be 1 to 64 of A-Z a-z 0-9 _ -") }
        guard port != 0, tlsPort != 0, port != tlsPort else { throw ValidationError("--port and --tls-port must be two ports") }
    }

    func run() throws {
        for port in [port, tlsPort] where LoopbackPort.isOpen(port) {
            throw Terminal.failure(
                """
                Something listens on port \(port) already. If it is Debian's own broker, stop it (systemctl disable --now mosquitto); \
                else choose others with --port and --tls-port.
                """)
        }
        var plan = SetupPlan(folder: URL(filePath: folder).standardizedFileURL.path, user: NSUserName())
        plan.port = port
        plan.tlsPort = Certificates.isPossible ? tlsPort : nil
        plan.gateway = gateway
        let names = HostNames.all
        let setup = Setup(plan: plan, names: names + name.filter { !names.contains($0) })
        Terminal.writeWhole()
        try Terminal.orExit { try setup.write() }
        for line in InitReport(setup: setup).lines { Terminal.line(line) }
    }
}

/// What to do after `fathom init`.
struct InitReport {
    let setup: Setup

    var lines: [String] {
        let plan = setup.plan
        let configuration = ShellWord.quoted("\(plan.folder)/\(SetupFolder.configuration)")
        let secret = ShellWord.quoted("\(plan.folder)/\(SetupFolder.secret(of: "viewer"))")
        let broker = ShellWord.quoted("\(plan.folder)/\(SetupFolder.broker)")
        let fathom = ShellWord.program
        return [
            "Written to \(plan.folder): configuration, registry, broker, and the accounts \(SetupPlan.accounts.joined(separator: ", ")).",
            "", "Start the broker, and leave it running:", "  \(ShellWord.mosquitto) -c \(broker)",
            "", "In a second terminal, try everything, and start the gateway:",
            "  \(fathom) check --connect --config \(configuration)", "  \(fathom) run --config \(configuration)",
            "", "In a third, register a device, and watch what is derived:",
            "  \(fathom) device add ultra-1 --entitlement shallow --config \(configuration)",
            "  mosquitto_sub -p \(plan.port) -u viewer -P \"$(cat \(secret))\" -t 'wearables/+/out/#' -v",
            "Or on the terminal, or in a browser:", "  \(fathom) watch --config \(configuration)",
            "  \(fathom) page --config \(configuration)",
            "",
        ] + devices
    }

    private var devices: [String] {
        guard let port = setup.plan.tlsPort else {
            return ["openssl is not installed: there is no certificate, so only programs on this machine can connect."]
        }
        return [
            "Devices connect with TLS to port \(port) of one of \(setup.names.joined(separator: ", ")),",
            "and have to trust \(setup.plan.folder)/\(SetupFolder.certificates)/ca.crt.",
        ]
    }
}
