import Synchronization

/// How often messages about what was not admitted are published. Several checks share it, of which none waits for another.
///
/// Unknown senders can choose their names, so nothing is kept by name.
package final class AdmissionLimit: Sendable {
    private let published = Atomic<UInt64>((-Double.infinity).bitPattern)
    private let suppressed = Atomic(0)

    /// Nothing was published.
    package init() {}

    /// How many messages the one that may be published at `monotonic` seconds stands for; nil where none may be.
    func admit(at monotonic: Double, perSecond: Double) -> Int? {
        let last = published.load(ordering: .relaxed)
        guard monotonic - Double(bitPattern: last) >= 1 / perSecond,
            published.compareExchange(expected: last, desired: monotonic.bitPattern, ordering: .relaxed).exchanged
        else {
            suppressed.add(1, ordering: .relaxed)
            return nil
        }
        return suppressed.exchange(0, ordering: .relaxed) + 1
    }
}
