import Glibc
package import Logging
package import Mosquitto
import ServiceLifecycle
import Synchronization
package import GatewayPipeline
import TelemetryModel

/// What `fathom notify` is to do.
package struct NotifyPlan: Sendable {
    /// The command of a shell that is run for each alarm.
    package var command: String
    /// The least severity of which somebody is told.
    package var severity: AlarmSeverity
    /// How long a command may run, in s.
    package var limitSeconds: Double
    /// The folder of what is stored.
    package var folder: String
    /// The topic levels before the device.
    package var root: String
    /// What commands get in their environment beside what is known of the alarm.
    package var environment: [String: String]

    /// A plan.
    package init(
        command: String, severity: AlarmSeverity, limitSeconds: Double, folder: String, root: String,
        environment: [String: String]
    ) {
        (self.command, self.severity, self.limitSeconds) = (command, severity, limitSeconds)
        (self.folder, self.root, self.environment) = (folder, root, environment)
    }
}

/// Runs a command for each alarm that is raised or cleared, until it succeeds.
///
/// A message is on disk before it is acknowledged to the broker, and leaves the disk once its command has succeeded. So nothing is lost when this
/// process is killed, and a command that runs again gets the same id.
package struct NotifyService: Service {
    private let client: MosquittoClient
    private let plan: NotifyPlan
    private let book: NoticeBook
    private let logger: Logger

    /// A service for the alarms that `client` is subscribed to. Throws where the folder cannot be used.
    package init(client: MosquittoClient, plan: NotifyPlan, logger: Logger) throws {
        (self.client, self.plan, self.logger) = (client, plan, logger)
        book = try NoticeBook(NoticeStore(folder: plan.folder), root: plan.root, least: plan.severity, logger: logger)
    }

    /// Runs until a stop is requested; throws when what is stored cannot be read or written.
    package func run() async throws {
        let wakeUp = WakeUp()
        let stop = StopRequest(wakeUp: wakeUp)
        if book.count > 0 { logger.notice("alarm messages of an earlier run wait", metadata: ["count": "\(book.count)"]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [client, book, logger] in
                try await client.run { NoticeHandler(book, waking: wakeUp, logger: logger) }
            }
            group.addTask { [plan, book, logger] in
                try await withTaskCancellationHandler {
                    try await BlockingCall.run {
                        var commands = NoticeCommands(plan: plan, book: book, wakeUp: wakeUp, logger: logger)
                        while try commands.step(isStopping: stop.isMade) {}
                    }
                } onCancel: {
                    stop.make()
                }
            }
            group.addTask { [client] in
                try? await gracefulShutdown()
                stop.make()
                await client.stop()
            }
            try await group.waitForAllOrFirstError()
        }
    }
}

/// The request to end the thread that sleeps on `wakeUp`.
private final class StopRequest: Sendable {
    private let wakeUp: WakeUp
    private let made = Atomic(false)

    init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

    var isMade: Bool { made.load(ordering: .acquiring) }

    func make() {
        made.store(true, ordering: .releasing)
        wakeUp.signal()
    }
}

/// The commands that run, on a thread of their own.
private struct NoticeCommands {
    private struct Running {
        var due: NoticeBook.Due
        var command: NoticeCommand
        var endsAt: MonotonicInstant
        var isTerminated = false
    }

    let plan: NotifyPlan
    let book: NoticeBook
    let wakeUp: WakeUp
    let logger: Logger
    private var running: [Running] = []
    private var stopsAt: MonotonicInstant?
    /// How long commands may run on once a stop is requested, in s.
    private static let stopSeconds = 3.0
    /// How long a command has to end by itself after SIGTERM, in s.
    private static let killSeconds = 2.0

    init(plan: NotifyPlan, book: NoticeBook, wakeUp: WakeUp, logger: Logger) {
        (self.plan, self.book, self.wakeUp, self.logger) = (plan, book, wakeUp, logger)
    }

    /// Notes what has ended, starts what is due and waits; false when all is done.
    mutating func step(isStopping: Bool) throws -> Bool {
        var now = MonotonicInstant.now
        collect(at: now)
        if isStopping, stopsAt == nil { stopsAt = now + Self.stopSeconds }
        if isStopping, running.isEmpty { return false }
        limit(at: now)
        if !isStopping { while let due = try book.next(at: now) { start(due, at: now) } }
        now = .now
        let wakeAt = running.map(\.endsAt).reduce(isStopping ? nil : book.nextDue) { .earlier($0, $1) }
        wakeUp.wait(atMost: wakeAt.map { $0 > now ? $0 - now : .zero })
        return true
    }

    private mutating func collect(at now: MonotonicInstant) {
        let present = exchange(&running, with: [])
        for each in present {
            guard let ending = each.command.ending else {
                running.append(each)
                continue
            }
            let alarm = each.due.alarm
            if ending.isSuccess, !each.isTerminated {
                FaultPoint.told.reach()
                book.told(each.due.notice)
                logger.info("told", metadata: metadata(alarm, output: each.command.output))
            } else {
                failed(
                    each.due, each.isTerminated ? "did not end within \(plan.limitSeconds) s (--timeout)" : "\(ending)",
                    output: each.command.output, at: now)
            }
        }
    }

    private func failed(_ due: NoticeBook.Due, _ reason: String, output: String = "", at now: MonotonicInstant) {
        guard stopsAt == nil else {
            _ = book.failed(due.notice, at: now)
            return logger.notice(
                "stopped before the command has succeeded: it runs again after the next start", metadata: metadata(due.alarm))
        }
        let (pause, tries) = book.failed(due.notice, at: now)
        var metadata = metadata(due.alarm, output: output)
        metadata["reason"] = "\(reason)"
        metadata["retry_seconds"] = "\(Int(pause))"
        metadata["tries"] = "\(tries)"
        metadata["waiting"] = "\(book.count)"
        logger.error("the command has failed: nobody is told yet", metadata: metadata)
    }

    /// Ends commands that run for too long.
    private mutating func limit(at now: MonotonicInstant) {
        for index in running.indices {
            if let stopsAt { running[index].endsAt = min(running[index].endsAt, stopsAt) }
            guard running[index].endsAt <= now else { continue }
            running[index].command.signal(running[index].isTerminated ? SIGKILL : SIGTERM)
            running[index].isTerminated = true
            stopsAt = stopsAt.map { max($0, now + Self.killSeconds) }
            running[index].endsAt = now + Self.killSeconds
        }
    }

    private mutating func start(_ due: NoticeBook.Due, at now: MonotonicInstant) {
        do {
            let command = try NoticeCommand(
                plan.command, input: due.payload + [UInt8(ascii: "\n")],
                environment: plan.environment.merging(due.alarm.environment) { $1 }, waking: wakeUp)
            running.append(Running(due: due, command: command, endsAt: now + plan.limitSeconds))
        } catch {
            failed(due, "\(error)", at: now)
        }
    }

    private func metadata(_ alarm: AlarmMessage, output: String = "") -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "device": "\(alarm.device)", "alarm": "\(alarm.level)", "severity": "\(alarm.severity.rawValue)",
            "state": "\(alarm.state.rawValue)", "id": "\(alarm.id)",
        ]
        if !output.isEmpty { metadata["output"] = "\(output)" }
        return metadata
    }
}
