package import Foundation

extension Process {
    /// Starts the process with no signal blocked.
    ///
    /// A child inherits the signal mask of the thread that starts it, and the threads that run tasks may block most signals: a
    /// broker would not receive SIGTERM, and `mosquitto_sub -W` not its own SIGALRM.
    package func runWithOpenSignals() throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
