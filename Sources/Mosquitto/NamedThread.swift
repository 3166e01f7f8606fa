import CMosquitto
import Glibc

/// A thread of its own for code that blocks, outside the cooperative pool.
enum NamedThread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new detached thread called `name`; throws when the system has no thread left.
    static func start(name: String, body: @escaping @Sendable () -> Void) throws(MosquittoError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                _ = unsafe cmosquitto_name_current_thread(start.name)
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
