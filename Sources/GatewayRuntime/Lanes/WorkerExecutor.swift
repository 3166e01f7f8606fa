import Dispatch
import Foundation
import Glibc
import Synchronization

/// A thread for one worker, outside the cooperative pool: the system shares the processors out among lanes, and gives those that can
/// wait less, so that seconds of batched data never keep a depth alarm from running.
final class WorkerExecutor: SerialExecutor {
    /// What is to be run, shared with the thread, which outlives nobody.
    private final class Inbox: Sendable {
        private let jobs = Mutex<[(job: UnownedJob, executor: UnownedSerialExecutor)]>([])
        private let count = DispatchSemaphore(value: 0)

        func put(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
            jobs.withLock { $0.append((job, executor)) }
            count.signal()
        }

        func close() { count.signal() }

        /// Runs one job after the other, until there is a signal without one.
        func run() {
            while true {
                count.wait()
                guard let next = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                next.job.runSynchronously(on: next.executor)
            }
        }
    }

    /// How nice the threads are that can wait; 0 is usual, 19 the nicest.
    private static let patientNiceness: Int32 = 10

    private let inbox = Inbox()

    /// An executor whose thread is called `name`.
    init(name: String, isUrgent: Bool) {
        let thread = Thread { [inbox] in
            // On Linux niceness is a thread's own, and 0 stands for the calling one.
            if !isUrgent { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.patientNiceness) }
            inbox.run()
        }
        thread.name = name
        thread.stackSize = 8 << 20
        thread.start()
    }

    deinit { inbox.close() }

    func enqueue(_ job: consuming ExecutorJob) { inbox.put(UnownedJob(job), asUnownedSerialExecutor()) }
}
