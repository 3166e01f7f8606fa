import CMosquitto
import Glibc

/// A dedicated thread for blocking code, outside the cooperative pool.
package enum NamedThread {
    private final class Start: Sendable {
        let name: String
        let niceness: Int32
        let body: @Sendable () -> Void

        init(name: String, niceness: Int32, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.niceness = niceness
            self.body = body
        }
    }

    /// Runs `body` on a new detached thread called `name`, of which Linux shows the first 15 bytes; throws when the system has no
    /// thread left. The higher its `niceness`, 0 to 19, the lower its priority.
    package static func start(
        name: String, niceness: Int32 = 0, body: @escaping @Sendable () -> Void
    ) throws(MosquittoError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, niceness: niceness, body: body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                _ = unsafe cmosquitto_name_current_thread(start.name)
                // On Linux niceness is per thread, and 0 means the calling thread.
                if start.niceness > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, start.niceness) }
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            unsafe start.release()
            throw MosquittoError(origin: .client, reason: "no thread could be started", errno: code)
        }
        pthread_detach(thread)
    }
}
