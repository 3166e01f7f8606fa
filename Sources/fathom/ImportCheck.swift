import ArgumentParser
import GatewayPipeline
import GatewayRuntime
import JSONText
import RecordingImport

/// `fathom import --check`: what is in the files, and what the pipeline derives of it.
final class ImportCheck {
    /// Longer than any timer that a dive, a session or a silence waits for.
    private static let idleSeconds = 900.0

    private let request: ImportRequest
    private let settings: PipelineSettings
    private let policy: AccessPolicy
    private let splitter = JSONSplitter()
    /// What is published, by device and kind.
    private var published: [String: [String: Int]] = [:]
    /// The streams that something is derived of, by device.
    private var used: [String: Set<String>] = [:]
    /// Why streams are refused and frames rejected, and how often.
    private var refused: [String: Int] = [:]
    /// The depth states that are unknown for silence, and those whose depth is withheld.
    private var silent = 0, withheld = 0
    /// Whether the files have ended: silence after them is none of theirs.
    private var isOver = false

    /// A check of `request` against the configuration of `gateway`; without one every device is known and allowed everything.
    init(_ request: ImportRequest, _ gateway: ConfigurationOptions) throws {
        self.request = request
        (settings, policy) = try gateway.replaySettings(gateway.loadOrExit(connects: false, searches: false))
    }

    /// Prints the summary; throws the exit status of an import.
    func run() throws {
        let replay = Replay(settings: settings, policy: policy, keepsHistories: false) { self.count($0) }
        let summary = { (report: ImportReport) in
            self.isOver = true
            replay.idle(seconds: Self.idleSeconds)
            replay.end()
            return self.summary(of: report)
        }
        let report = ImportScreen().run(request, summary: summary) { line in
            if let message = try? RecordedMessage(line: line[...], splitter: splitter) { replay.take(message) }
            return true
        }
        if !report.isClean { throw ExitCode.failure }
    }

    private func count(_ line: [UInt8]) {
        guard let message = try? RecordedMessage(line: line[...], splitter: splitter).message,
            let members = try? splitter.split(
                message.payload[...], "device", "kind", "reason", "allowed", "state", "cause", "source", "detail")
        else { return }
        let text = { (index: Int) in members[index]?.text ?? "" }
        let (device, kind) = (text(0), text(1))
        if kind.hasPrefix("access/") {
            let isAllowed = members[3].map { String(decoding: $0.bytes, as: UTF8.self) } == "true"
            if !isAllowed { refused["\(device)/\(kind.dropFirst("access/".count)) is refused: \(text(2))", default: 0] += 1 }
        } else if !text(2).isEmpty, kind.isEmpty || kind == "rejected" {
            refused["frames are rejected: \(text(2)): \(text(7))", default: 0] += 1
        } else if !kind.isEmpty {
            published[device, default: [:]][kind, default: 0] += 1
            if let source = members[6], let stream = try? splitter.split(source.bytes, "stream")[0]?.text {
                used[device, default: []].insert(stream)
            }
            if kind == "depth-state", text(5) == "silence", !isOver { silent += 1 }
            if kind == "depth-state", text(4) == "sensorDepthError" { withheld += 1 }
        }
    }

    private func summary(of report: ImportReport) -> [String] {
        var lines = published.sorted { $0.key < $1.key }.map { device, kinds in
            "\(device): derived are \(kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        }
        for file in report.files where used[file.device]?.contains(file.stream.rawValue) != true {
            lines.append("\(file.device)/\(file.stream.rawValue): nothing is derived of it")
        }
        lines += refused.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value > 1 ? " (\($0.value) times)" : "")" }
        return lines + depthAdvice(report)
    }

    /// Which settings show depths that these do not.
    private func depthAdvice(_ report: ImportReport) -> [String] {
        let dives = report.files.filter { $0.stream == .submersion }
        let depth = settings.derive[SubmersionDerivation.self]
        var lines: [String] = []
        if silent > 0, let interval = dives.compactMap(\.interval).max() {
            // Samples that are far apart always, or a hole.
            let hole = dives.compactMap(\.holes.first?.seconds).max() ?? 0
            let needed = interval * 3 > depth.staleSeconds ? interval * 3 : max(hole, depth.staleSeconds)
            lines.append(
                "the depth is unknown \(silent) times between samples that are \(interval) s apart, or in a hole: "
                    + "derive.depth.staleSeconds=\(Int(min(needed, 3600).rounded(.up))) in place of \(depth.staleSeconds) bridges it"
            )
        }
        if withheld > 0, let deepest = dives.compactMap(\.deepest).max() {
            let fraction = (deepest / 40 * 100).rounded(.up) / 100
            lines.append(
                "depths to \(deepest) m are beyond the range of the entitlement, and withheld: "
                    + (fraction <= 2
                        ? "entitlement: full with derive.depth.sensorErrorFraction=\(max(1, fraction)) shows them"
                        : "none shows more than 80 m"))
        }
        return lines
    }
}
