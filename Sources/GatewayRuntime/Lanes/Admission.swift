package import GatewayPipeline
import Synchronization

/// The policy by which lanes admit messages.
///
/// Each lane checks with a copy of its own (`LaneDoor`), which it renews before a batch where the policy has changed. The lock is held for an
/// assignment: a lane waits neither for another's batch nor for a change of the policy.
package final class Admission: Sendable {
    private let current: Mutex<AccessPolicy>
    private let number = Atomic(0)
    /// How often what is not admitted is reported, in all lanes together.
    let limit = AdmissionLimit()

    /// An admission by `policy`.
    package init(policy: AccessPolicy) { current = Mutex(policy) }

    /// The policy, with the known devices.
    package var policy: AccessPolicy {
        get { current.withLock { $0 } }
        set {
            // The former policy, with thousands of devices, is freed after the lock.
            let former = current.withLock { current in
                let former = current
                current = newValue
                return former
            }
            number.add(1, ordering: .releasing)
            withExtendedLifetime(former) {}
        }
    }

    /// Changes whenever the policy does.
    var version: Int { number.load(ordering: .acquiring) }
}

/// The admission check of one lane, on its thread.
struct LaneDoor {
    private let admission: Admission
    private(set) var check: AdmissionCheck
    private var version: Int

    /// A door to `share` by the policy of `admission`.
    init(_ admission: Admission, for share: StreamShare, settings: PipelineSettings) {
        self.admission = admission
        version = admission.version
        check = AdmissionCheck(policy: admission.policy, settings: settings, share: share, limit: admission.limit)
    }

    /// Admits the messages of a batch; the messages about rejected ones are appended to `refused`.
    mutating func admit(
        _ batch: [Lane.Arrival], at now: GatewayTime, into refused: inout [OutboundMessage]
    ) -> [KnownMessage] {
        let present = admission.version
        if present != version {
            version = present
            check.policy = admission.policy
        }
        return batch.flatMap { check.admit($0.message, from: $0.address, at: now, into: &refused) }
    }
}

/// The elements of a batch in rounds: the first of each owner, then the second of each that has one, and so on. Each owner's keep their order.
struct FairRounds<Element> {
    private(set) var rounds: [[Element]] = []

    /// The rounds of `elements`, whose owners `owner` names.
    init<Owner: Hashable>(_ elements: [Element], by owner: (Element) -> Owner) {
        guard elements.count > 1 else {
            rounds = elements.map { [$0] }
            return
        }
        var counts: [Owner: Int] = [:]
        for element in elements {
            let round = counts[owner(element), default: 0]
            counts[owner(element)] = round + 1
            if round == rounds.count { rounds.append([]) }
            rounds[round].append(element)
        }
        join()
    }

    /// Joins rounds of the same owners: between them nobody is done.
    private mutating func join() {
        var joined: [[Element]] = []
        var size = 0
        for round in rounds {
            if round.count == size {
                joined[joined.count - 1] += round
            } else {
                size = round.count
                joined.append(round)
            }
        }
        rounds = joined
    }
}
