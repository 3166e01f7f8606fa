import CUnfinishedFiles
import Glibc

/// A new file for its owner alone, under a hidden name of this process beside the file that it is to become. A signal that ends the process
/// removes it.
final class UnfinishedFile: Sendable {
    /// The hidden name, which an import that reads its folder passes over.
    let path: String
    /// Open for writing; whoever made the file closes it.
    let descriptor: Int32
    private let target: String
    private let numbers: [Int32]

    /// Makes the file that is to become `target`; `companions` are the ends of the names of files that a library keeps beside it.
    init(for target: String, companions: [String] = []) throws(GatewayError) {
        let name = target.lastIndex(of: "/").map(target.index(after:)) ?? target.startIndex
        let path = "\(target[..<name]).\(target[name...]).\(getpid()).new"
        // Of a process with the same number that was killed.
        unlink(path)
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(path) }
        (self.path, self.target) = (path, target)
        numbers = ([""] + companions).map { unfinished_file_add(path + $0) }
    }

    /// Puts the file in the place of the target; false where that fails, for the reason in `errno`.
    func publish() -> Bool {
        guard rename(path, target) == 0 else { return false }
        forget()
        return true
    }

    /// Removes the file.
    func remove() {
        unlink(path)
        forget()
    }

    private func forget() { for number in numbers { unfinished_file_forget(number) } }
}
