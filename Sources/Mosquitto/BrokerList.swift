import Synchronization

/// Where a broker listens.
package struct BrokerAddress: Sendable, Equatable {
    /// The name or address. Resolving a name blocks the client's thread, even for `stop`, and only its first address is tried: prefer an
    /// address, or a local resolver and a name with one address.
    package var host: String

    /// The TCP port.
    package var port: UInt16

    /// Creates an address.
    package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
}

extension BrokerAddress: CustomStringConvertible {
    /// Host and port, with an IPv6 address in brackets.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The brokers of one cluster, and which of them clients connect to next: all clients with the same list move on together.
package final class BrokerList: Sendable {
    /// The brokers in the order in which they are tried; not empty in a valid configuration.
    package let addresses: [BrokerAddress]
    private let place = Atomic(0)
    /// What is logged of the connections to them.
    let log = ConnectionLog()

    /// A list whose first broker is tried first.
    package init(_ addresses: [BrokerAddress]) { self.addresses = addresses }

    /// A list of one broker.
    package convenience init(host: String, port: UInt16 = 1883) { self.init([BrokerAddress(host: host, port: port)]) }

    /// The place of the broker that is tried next.
    var current: Int { place.load(ordering: .acquiring) }

    /// Makes the broker behind `index` the next one, unless another client has moved on from `index` before.
    func leave(_ index: Int) {
        _ = place.compareExchange(
            expected: index, desired: index + 1 < addresses.count ? index + 1 : 0, ordering: .acquiringAndReleasing)
    }
}

/// Which broker a client's attempts to connect go to, and with which protocol version.
struct BrokerChoice {
    private let brokers: BrokerList
    /// For each broker: silence says something about one broker alone.
    private var versions: [VersionFallback]
    private var index = 0

    init(_ configuration: MosquittoConfiguration) {
        brokers = configuration.brokers
        versions = brokers.addresses.map { _ in VersionFallback(configuration.version) }
    }

    /// The broker of the attempt.
    var broker: BrokerAddress { brokers.addresses[index] }

    /// The protocol version of the attempt.
    var version: MosquittoConfiguration.ProtocolVersion { versions[index].version }

    /// Whether the attempts until now have not shown yet which version the broker accepts.
    var isChoosing: Bool { versions[index].isChoosing }

    /// Chooses the broker of the next attempt.
    mutating func begin() { index = brokers.current }

    /// The broker has accepted the connection.
    mutating func accepted() -> VersionFallback.Verdict { versions[index].accepted() }

    /// The attempt or the connection has ended; true when the broker is now known to refuse MQTT 5.
    ///
    /// The next attempt is made at the next broker, unless the reason is none of the broker's, or it has answered MQTT 5 with an end.
    mutating func failed(_ reason: DisconnectReason) -> Bool {
        let before = version
        let isRefused = versions[index].failed(reason)
        let triesOlder = before == .v5 && version == .v311 && reason != .timedOut
        if !triesOlder, reason.isOfBroker { brokers.leave(index) }
        // What one broker of a cluster refuses the others refuse.
        if isRefused { versions = versions.map { [index] _ in versions[index] } }
        return isRefused
    }
}

extension DisconnectReason {
    /// Whether another broker may do better.
    fileprivate var isOfBroker: Bool {
        switch self {
        case .sessionTakenOver, .batchReleased: false
        case .connectFailed, .timedOut, .refused, .subscriptionRefused, .lost, .lostRepeatedly, .closedByBroker, .silent: true
        }
    }
}
