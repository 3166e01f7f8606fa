/// Where NATS servers are, and how to log in.
package struct NatsSettings: Sendable {
    /// A server's name or address, and its port for clients.
    package struct Server: Sendable, Equatable, CustomStringConvertible {
        /// The name or address.
        package var host: String
        /// The TCP port.
        package var port: Int

        /// A server at `host`.
        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

        /// As in a URL without scheme.
        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The servers of one cluster, tried in turn; at least one.
    package var servers: [Server]
    /// The connection's name, which the server shows.
    package var name: String
    /// The user name; nil for none.
    package var username: String?
    /// The password.
    package var password: String?
    /// Whether to use TLS; the server is always verified.
    package var usesTLS = false
    /// The authorities that may have signed the server's certificate, a PEM file; nil for the system's.
    package var authoritiesFile: String?
    /// How long a server may take to accept a connection, and to answer a request, in seconds.
    package var timeoutSeconds = 5.0
    /// The most that is read of a bucket at once, in MB, and in as many seconds: it is held in memory.
    package var maximumMegabytes = 200

    /// Servers without an account.
    package init(servers: [Server], name: String) { (self.servers, self.name) = (servers, name) }
}
