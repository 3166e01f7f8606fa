/// Shell commands with which a person publishes a device's first frames.
package struct FirstFrames: Sendable {
    package var device: String
    package var root: String
    package var host: String
    package var port: Int
    /// The file with the authorities that may have signed the broker's certificate; nil without TLS.
    package var authorities: String?
    /// The file with the device's password; nil where it is not known.
    package var secret: String?

    package init(device: String, root: String, host: String, port: Int, authorities: String?, secret: String?) {
        (self.device, self.root, self.host, self.port) = (device, root, host, port)
        (self.authorities, self.secret) = (authorities, secret)
    }

    /// Commands for POSIX shells on Linux: a dive to 3 m for a device that may measure depth, else the device's status.
    ///
    /// `boot` is new each time, since `seq` starts at 0 again; `uptime` and every `timestamp` are of one clock.
    package func commands(measuresDepth: Bool) -> String {
        let password = secret.map { "\"$(cat \(ShellWord.quoted($0)))\"" } ?? "PASSWORD"
        let tls = authorities.map { " --cafile \(ShellWord.quoted($0))" } ?? ""
        let publish = "mosquitto_pub -h \(host) -p \(port)\(tls) -u \(device) -P \(password) -q 1"
        let header = #"\"schema\":\"wearables/1\",\"boot\":\"$boot\",\"seq\":$seq,\"uptime\":$uptime,\"sent\":$(date +%s.%3N)"#
        guard measuresDepth else {
            return """
                boot=$(date +%s) seq=0 uptime=$(cut -d' ' -f1 /proc/uptime)
                \(publish) -r -t \(root)/\(device)/in/status \\
                  -m "{\(header),\\"state\\":\\"online\\"}"
                """
        }
        return """
            boot=$(date +%s) seq=0
            for depth in 0 1 2 3 3 2 1 0 0; do
              uptime=$(cut -d' ' -f1 /proc/uptime)
              \(publish) -t \(root)/\(device)/in/submersion \\
                -m "{\(header),\\"measurements\\":[{\\"timestamp\\":$uptime,\\"depth\\":{\\"value\\":$depth,\\"unit\\":\\"m\\"}}]}"
              seq=$((seq + 1)); sleep 1
            done
            """
    }
}
