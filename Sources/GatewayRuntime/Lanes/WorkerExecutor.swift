import Foundation
import Glibc

/// A thread for one worker, outside the cooperative pool: the system shares the processors out among lanes, and gives those that can
/// wait less, so that seconds of batched data never keep a depth alarm from running.
final class WorkerExecutor: SerialExecutor {
    /// What is to be run, shared with the thread, which outlives nobody.
    private final class Inbox: Sendable {
        private let condition = NSCondition()
        // Touched under the condition's lock alone.
        nonisolated(unsafe) private var jobs: [(job: UnownedJob, executor: UnownedSerialExecutor)] = []
        nonisolated(unsafe) private var isClosed = false

        func put(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
            condition.withLock { jobs.append((job, executor)) }
            condition.signal()
        }

        func close() {
            condition.withLock { isClosed = true }
            condition.signal()
        }

        /// Runs one job after the other, until it is closed and empty.
        func run() {
            while let next = take() { next.job.runSynchronously(on: next.executor) }
        }

        private func take() -> (job: UnownedJob, executor: UnownedSerialExecutor)? {
            condition.withLock {
                while jobs.isEmpty, !isClosed { condition.wait() }
                return jobs.isEmpty ? nil : jobs.removeFirst()
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
