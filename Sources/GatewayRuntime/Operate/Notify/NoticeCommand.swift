import Glibc
import Mosquitto
import Synchronization

/// A command of a shell that runs for one alarm, in a process group of its own.
final class NoticeCommand: Sendable {
    /// How a command ended.
    enum Ending: Sendable, Equatable, CustomStringConvertible {
        case exited(Int32)
        case killed(Int32)

        /// Whether it has done its work.
        var isSuccess: Bool { self == .exited(0) }

        var description: String {
            switch self {
            case .exited(126): "exit status 126: it cannot be executed"
            case .exited(127): "exit status 127: it is not found"
            case .exited(let status): "exit status \(status)"
            case .killed(let signal): "ended by signal \(signal)"
            }
        }
    }

    private enum Phase {
        case running
        case ended(Ending)
    }

    private let process: pid_t
    private let phase = Mutex(Phase.running)

    private let printed = Mutex<[UInt8]>([])
    /// How much of what it prints is kept, in bytes: the end.
    private static let mostPrinted = 1_000

    /// Starts `/bin/sh -c text` with `input` on its standard input. `wakeUp` is signalled once it has ended.
    init(_ text: String, input: [UInt8], environment: [String: String], waking wakeUp: WakeUp) throws(GatewayError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let output = ends[0]
        defer { close(ends[1]) }
        do throws(GatewayError) {
            process = try Self.spawn(text, input: input, output: ends[1], environment: environment)
        } catch {
            close(output)
            throw error
        }
        do throws(MosquittoError) {
            try NamedThread.start(name: "command") { [self] in
                read(output)
                close(output)
                wait()
                wakeUp.signal()
            }
        } catch {
            kill(-process, SIGKILL)
            close(output)
            wait()
            throw GatewayError("\(error)")
        }
    }

    /// How it ended; nil while it runs.
    var ending: Ending? {
        phase.withLock { phase in if case .ended(let ending) = phase { ending } else { nil } }
    }

    /// The end of what it has printed on standard output and error.
    var output: String { printed.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Reads what it prints, until it has ended. What it has started may print on: nobody reads that.
    private func read(_ file: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // In every turn: what it has started may leave no moment without output. After the end one turn reads what it has
            // printed itself, as a pipe holds no more than the buffer.
            let isOver = isOver
            var interest = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            if poll(&interest, 1, isOver ? 0 : 200) > 0 {
                let count = Glibc.read(file, &buffer, buffer.count)
                if count == 0 || (count < 0 && errno != EINTR) { return }
                printed.withLock { $0 = ($0 + buffer.prefix(max(0, count))).suffix(Self.mostPrinted) }
            }
            if isOver { return }
        }
    }

    /// Whether its process has ended, and is not reaped yet.
    private var isOver: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_signo == SIGCHLD
    }

    /// Sends a signal to it and to what it has started, unless it has ended.
    func signal(_ signal: Int32) {
        // Not reaped before the phase has changed: the number is that of this process.
        phase.withLock { phase in if case .running = phase { kill(-process, signal) } }
    }

    /// Waits for the end, and reaps the process.
    private func wait() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        phase.withLock { phase in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            phase = .ended(signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal))
        }
    }

    private static func spawn(
        _ text: String, input: [UInt8], output: Int32, environment: [String: String]
    ) throws(GatewayError) -> pid_t {
        var ends: [Int32] = [-1, -1]
        // Only the thread that is here starts processes: no other gets the ends before they close with it.
        guard pipe(&ends) == 0 else { throw .system("a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // All of it is in the pipe before the command reads: it is smaller than what a pipe holds.
        let isWritten = input.isEmpty || write(ends[1], input, input.count) == input.count
        close(ends[1])
        defer { close(ends[0]) }
        guard isWritten else { throw .system("a pipe") }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        for end in [STDOUT_FILENO, STDERR_FILENO] { posix_spawn_file_actions_adddup2(&actions, output, end) }
        // What this process has inherited itself, and may not close on execution. One that is closed meanwhile is no error.
        for name in (try? Folder.names(in: "/proc/self/fd/.")) ?? [] {
            if let file = Int32(name), file > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, file) }
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of this process may block signals, and libmosquitto has it ignore SIGPIPE.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        let words = ["/bin/sh", "-c", text]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let assignments = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var variables: [UnsafeMutablePointer<CChar>?] = assignments.map { strdup($0) } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw GatewayError("/bin/sh: \(String(cString: strerror(code)))") }
        return process
    }
}
