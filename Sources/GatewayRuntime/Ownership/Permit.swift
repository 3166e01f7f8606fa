import GatewayPipeline
import Mosquitto
import Synchronization

/// What an owner of a gateway's name may do, for every thread of the process: until its lease ends, and under which epoch.
///
/// The lease is one instant that each thread compares with the clock. A process that was frozen therefore finds its lease ended
/// when it wakes, and writes nothing. A lease that has ended is not lost: the next claim that comes back renews it, unless
/// another's came first.
final class Permit: ConnectionFence {
    private let clock: any GatewayClock
    /// The end of the lease on the monotonic clock, as the bits of a `Double`.
    private let deadline = Atomic((-Double.infinity).bitPattern)
    private let wonEpoch = Atomic(0)
    private let isLost = Atomic(false)
    private let isTaken = Atomic(false)

    /// A permit of nothing.
    init(clock: any GatewayClock) { self.clock = clock }

    /// Whether connecting, publishing, committing and acknowledging are permitted.
    var isOpen: Bool { passage == .open }

    /// Whether all of that is permitted, is not for now, or is lost for good.
    var passage: FencePassage {
        if isLost.load(ordering: .acquiring) { return .lost }
        return clock.now.monotonic < Double(bitPattern: deadline.load(ordering: .acquiring)) ? .open : .closed
    }

    /// The epoch of this process; nil before the name is won.
    var epoch: Int? {
        let epoch = wonEpoch.load(ordering: .acquiring)
        return epoch > 0 ? epoch : nil
    }

    /// Whether the devices were another gateway's before the name was won.
    var changesOwner: Bool { isTaken.load(ordering: .acquiring) }

    /// Records that the name is won.
    func win(epoch: Int, changesOwner: Bool = false) {
        isTaken.store(changesOwner, ordering: .releasing)
        wonEpoch.store(epoch, ordering: .releasing)
    }

    /// Permits everything until `instant`, on the monotonic clock.
    func extend(until instant: Double) { deadline.store(instant.bitPattern, ordering: .releasing) }

    /// Ends the permit for good.
    func lose() { isLost.store(true, ordering: .releasing) }
}
