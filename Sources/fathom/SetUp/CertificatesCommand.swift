import ArgumentParser
import GatewaySetup

/// `fathom certificates`: a certificate for the broker, and an authority where there is none.
struct CertificatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificates",
        abstract: "Make the broker's certificate, or a new one, signed by an authority of your own.",
        discussion: """
            Writes broker.crt and broker.key, valid for 800 days, and ca.crt and ca.key, valid for ten years, unless the folder has \
            ca.key already: devices that trust ca.crt then trust the new certificate too. With ca.crt alone nothing is written: \
            put ca.key back for as long. Restart the broker afterwards. Needs openssl. Keep ca.key secret: anyone who has it can \
            impersonate your broker.
            """)

    @Argument(help: ArgumentHelp("The folder, which exists.", valueName: "folder"))
    var folder: String

    @Option(
        help: ArgumentHelp(
            """
            A name or address by which devices reach the broker. May be repeated. The certificate is for these alone; without it for the \
            names and addresses of this machine.
            """, valueName: "host"))
    var name: [String] = []

    func run() throws {
        let names = name.isEmpty ? HostNames.all : name
        Terminal.writeWhole()
        try Terminal.orExit { try Certificates(in: folder, names: names).make() }
        Terminal.line("\(folder)/broker.crt is for \(names.joined(separator: ", ")); devices have to trust \(folder)/ca.crt")
    }
}
