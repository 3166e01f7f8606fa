import ArgumentParser
import GatewayPipeline
import GatewaySetup
import Glibc
import Synchronization

/// Standard output and standard error.
///
/// A line may hold what devices, brokers and servers have chosen: everything that a terminal could act on is escaped, line feeds too.
enum Terminal {
    /// Whether standard output is a terminal.
    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The terminal's columns and rows; 80 by 24 where they are not known.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes all of `bytes` to standard output; false with `errno` when that fails.
    @discardableResult
    static func write(_ bytes: [UInt8]) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
                continue
            }
            if count < 0 { return false }
            written += count
        }
        return true
    }

    /// Writes a text to standard output as it is, with the commands that a screen is drawn by.
    static func text(_ text: String) { write(Array(text.utf8)) }

    /// Writes a line to standard output, as ``output(_:)`` does.
    static func line(_ text: String) { output(bytes(ofLine: text)) }

    /// Writes all of `bytes` to standard output. Where that fails, as on a full disk, the command ends with status 1, as its output is not whole.
    static func output(_ bytes: [UInt8]) {
        guard !write(bytes) else { return }
        if errno != EPIPE { error("standard output: \(String(cString: strerror(errno)))") }
        exit(1)
    }

    /// Writes all of a text as ``output(_:)`` does.
    static func output(_ text: String) { output(Array(text.utf8)) }

    /// Writes an error of several lines, such as one line for each problem, to standard error.
    static func error(lines text: String) {
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) { error(String(line)) }
    }

    /// Writes a line to standard error.
    static func error(_ text: String) {
        let bytes = bytes(ofLine: text)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Writes a line to standard error, and gives what ends the command after it.
    static func failure(_ text: String) -> ExitCode {
        error(text)
        return .failure
    }

    /// Runs `body`; an error goes to standard error, that of a set-up step line by line, and ends the command.
    static func orExit<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let problem as SetupError {
            Self.error(lines: problem.description)
            throw ExitCode.failure
        } catch {
            throw failure("\(error)")
        }
    }

    /// Ctrl-C, the end of the terminal, and SIGTERM.
    private static let endingSignals = [SIGINT, SIGHUP, SIGTERM]

    /// From here on ending signals end the programs that this one runs, but not this one: what it
    /// writes is whole, or taken away where such a program has ended. For commands that end in a moment.
    static func writeWhole() {
        // A handler, not SIG_IGN, which those programs would keep.
        for number in endingSignals { signal(number) { _ in } }
    }

    private static let isInterrupted = Atomic(false)

    /// From here on ending signals do not end this program, but are noted for ``endNotingSignals()``.
    static func noteSignals() {
        // Made before a handler needs it.
        isInterrupted.store(false, ordering: .relaxed)
        for number in endingSignals { signal(number) { _ in Terminal.isInterrupted.store(true, ordering: .relaxed) } }
    }

    /// From here on ending signals end it again; whether one came meanwhile.
    static func endNotingSignals() -> Bool {
        for number in endingSignals { signal(number, SIG_DFL) }
        return isInterrupted.load(ordering: .relaxed)
    }

    /// Throws where standard input is named twice: each reader would take a part of it.
    static func requireOneInput(_ files: [String]) throws {
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("'-' is standard input, which is read once") }
    }

    /// A line as it is written.
    static func bytes(ofLine text: String) -> [UInt8] { Array(text.escaped.utf8) + [UInt8(ascii: "\n")] }
}
