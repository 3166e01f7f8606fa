import Glibc

/// A sample that a spool keeps: plain bytes, without references.
protocol Spooled: BitwiseCopyable {
    /// The series it belongs to.
    var series: UInt32 { get }
    /// When it was measured, in microseconds.
    var micros: Int64 { get }
    /// Set by the spool: those of one instant keep their order.
    var order: UInt32 { get set }
}

/// Samples of several series, taken in any order and given back in order of time, in little memory: what is more than one run goes to a file
/// without a name.
final class Spool<Sample: Spooled> {
    /// A sorted part, in the file.
    fileprivate struct Run {
        var offset: Int
        /// Where the samples of each series are, in samples from the run's beginning.
        var ranges: [UInt32: Range<Int>]
    }

    private let runLength: Int
    fileprivate var last: [Sample] = []
    fileprivate var lastRanges: [UInt32: Range<Int>] = [:]
    fileprivate var runs: [Run] = []
    fileprivate var file: UnnamedFile?
    private var count: UInt32 = 0
    private var end = 0

    /// An empty spool that keeps at most `runLength` samples in memory.
    init(runLength: Int) { self.runLength = runLength }

    /// Adds a sample.
    func add(_ sample: Sample) throws(ImportProblem) {
        if last.count == runLength { try write() }
        last.append(sample)
        last[last.count - 1].order = count
        count &+= 1
    }

    /// Ends the adding: from here on series can be read.
    func finish() {
        lastRanges = sortLast()
    }

    /// The samples of a series, sorted by time.
    func samples(of series: UInt32) -> SpoolReader<Sample> { SpoolReader(self, series: series) }

    private func sortLast() -> [UInt32: Range<Int>] {
        last.sort { ($0.series, $0.micros, $0.order) < ($1.series, $1.micros, $1.order) }
        var ranges: [UInt32: Range<Int>] = [:]
        var start = 0
        for index in last.indices where index + 1 == last.count || last[index + 1].series != last[index].series {
            ranges[last[index].series] = start..<index + 1
            start = index + 1
        }
        return ranges
    }

    private func write() throws(ImportProblem) {
        let ranges = sortLast()
        if file == nil { file = try UnnamedFile() }
        try last.withUnsafeBufferPointer { samples throws(ImportProblem) in
            try file?.write(UnsafeRawBufferPointer(samples), at: end)
        }
        runs.append(Run(offset: end, ranges: ranges))
        end += last.count * MemoryLayout<Sample>.stride
        last.removeAll(keepingCapacity: true)
    }
}

/// Gives the samples of one series back, sorted by time.
final class SpoolReader<Sample: Spooled> {
    private static var bufferLength: Int { 256 }

    private struct Part {
        /// Where the samples after the buffer are in the file, in bytes; nil where the buffer is all.
        var offset: Int?
        var remaining = 0
        var buffer: ArraySlice<Sample>
    }

    private let spool: Spool<Sample>
    private var parts: [Part] = []

    fileprivate init(_ spool: Spool<Sample>, series: UInt32) {
        self.spool = spool
        for run in spool.runs {
            guard let range = run.ranges[series] else { continue }
            parts.append(
                Part(
                    offset: run.offset + range.lowerBound * MemoryLayout<Sample>.stride, remaining: range.count, buffer: []))
        }
        if let range = spool.lastRanges[series] { parts.append(Part(buffer: spool.last[range])) }
    }

    /// The next sample; nil at the end.
    func next() throws(ImportProblem) -> Sample? {
        var earliest: (part: Int, sample: Sample)?
        for index in parts.indices {
            guard let sample = try first(of: index) else { continue }
            if let known = earliest?.sample, (known.micros, known.order) <= (sample.micros, sample.order) { continue }
            earliest = (index, sample)
        }
        guard let (part, sample) = earliest else { return nil }
        parts[part].buffer.removeFirst()
        return sample
    }

    private func first(of index: Int) throws(ImportProblem) -> Sample? {
        if let sample = parts[index].buffer.first { return sample }
        guard let offset = parts[index].offset, parts[index].remaining > 0, let file = spool.file else { return nil }
        let count = min(parts[index].remaining, Self.bufferLength)
        var failure: ImportProblem?
        let samples = [Sample](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(ImportProblem) {
                try file.read(UnsafeMutableRawBufferPointer(buffer), at: offset)
                filled = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        parts[index].offset = offset + count * MemoryLayout<Sample>.stride
        parts[index].remaining -= count
        parts[index].buffer = samples[...]
        return samples.first
    }
}

/// A file without a name in the folder for temporary files: it is gone with the process.
final class UnnamedFile {
    private let folder: String
    private let descriptor: CInt

    init() throws(ImportProblem) {
        folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/fathom-import-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        if descriptor < 0 { throw failure() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ImportProblem) {
        var done = 0
        while done < bytes.count {
            let result = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw failure() }
            done += result
        }
    }

    /// Fills `bytes` from `offset` on.
    func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImportProblem) {
        var done = 0
        while done < bytes.count {
            let result = pread(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw failure() }
            done += result
        }
    }

    private func failure() -> ImportProblem {
        ImportProblem("a file of sorted samples: \(String(cString: strerror(errno)))", file: folder)
    }
}
