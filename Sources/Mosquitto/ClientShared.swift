import Synchronization

/// What a client and its thread share; every part has its own lock.
final class ClientShared: Sendable {
    let wakeUp: WakeUp
    let control: LoopControl
    let outbox: PublishQueue
    let loop = LoopAccess()
    let states = ConnectionStates()
    let pulse = ThreadPulse()
    private let counts = Mutex(MosquittoStatistics())

    init(publishWindow: Int) {
        wakeUp = WakeUp()
        control = LoopControl(wakeUp: wakeUp)
        outbox = PublishQueue(window: publishWindow, wakeUp: wakeUp)
    }

    var statistics: MosquittoStatistics {
        var statistics = counts.withLock { $0 }
        outbox.describe(in: &statistics)
        return statistics
    }

    func count(_ change: (inout MosquittoStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }

    /// Ends every wait; nothing happens on the client after this.
    func finish() {
        pulse.pause()
        outbox.close()
        states.announce(.stopped)
        control.finish()
    }
}
