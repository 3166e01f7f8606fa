import GatewayPipeline
import Glibc
import Metrics
import TelemetryModel

/// The metrics of the process, from `/proc`, under the names that Prometheus' own libraries use.
enum ProcessMetrics {
    /// Adds them to a page; what cannot be read is left out.
    static func write(to text: inout MetricsText) {
        // Fields follow the name in parentheses, which may hold spaces: state is the first of them.
        if let stat = try? TextFile.read("/proc/self/stat"), let end = stat.lastIndex(of: ")") {
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
            if fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]) {
                text.counter(
                    "process_cpu_seconds_total", "Processor time of user and system.", [.init((user + system) / ticks)])
            }
            if fields.count > 21, let threads = Int(fields[17]), let started = Double(fields[19]) {
                text.gauge("process_threads", "Threads.", [.init(threads)])
                text.gauge(
                    "process_start_time_seconds", "When the process started, unix time.", [.init(bootTime + started / ticks)])
            }
            if fields.count > 21, let pages = Double(fields[21]) {
                text.gauge(
                    "process_resident_memory_bytes", "Memory that is not swapped out.", [.init(pages * Double(getpagesize()))])
            }
        }
        if let count = openFiles { text.gauge("process_open_fds", "Open file descriptors.", [.init(count)]) }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            text.gauge("process_max_fds", "The limit of open file descriptors.", [.init(Double(limit.rlim_cur))])
        }
    }

    /// When the machine started, unix time; read once, so that the start of the process does not seem to change.
    private static let bootTime: Double = {
        let now = SystemGatewayClock().now
        return now.unix.seconds - now.monotonic
    }()

    private static var openFiles: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        // The folder's own descriptor, `.` and `..` are not counted.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
