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
