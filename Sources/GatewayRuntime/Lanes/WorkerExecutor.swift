import Dispatch

/// A thread for one worker, outside the cooperative pool: the system shares the processors out among lanes, so that seconds of
/// batched data never keep a depth alarm from running.
final class WorkerExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// An executor whose thread is called `name`.
    init(name: String, isUrgent: Bool) {
        queue = DispatchQueue(label: name, qos: isUrgent ? .userInteractive : .utility)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
