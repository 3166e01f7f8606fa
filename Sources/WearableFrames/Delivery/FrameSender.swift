/// Sends the frames of an outbox in order, and again after each connection until they are acknowledged.
///
/// The app runs `run()` in a task of its own, calls `send` with each frame, `connected` and `disconnected` when its MQTT client
/// reports so, and `acknowledge` with what arrives on `out/committed/+`.
public actor FrameSender {
    /// Until when frames are kept.
    public enum Retention: Sendable, Hashable {
        /// Until the broker has accepted them: what a broker loses in a crash is lost.
        case untilAccepted
        /// Until the gateway has committed them: needs `gateway.publishCommitted: true` at the gateway, and a subscription of
        /// `{root}/{device}/out/committed/+`.
        case untilCommitted
    }

    /// The frames that are kept.
    public private(set) var outbox: Outbox
    /// How often the broker has refused a frame. Frames behind it are sent; it is kept until a later one of its stream is acknowledged, and
    /// sent again with the next connection.
    public private(set) var refusals = 0

    private let publisher: any FramePublisher
    private let retention: Retention
    /// Wakes the `run` that began last. It stays when that has ended: a `run` looks for frames when it begins.
    private var wakeUp: AsyncStream<Void>.Continuation?
    /// The place of the next frame to send; nil while there is no connection.
    private var next: Outbox.Place?
    /// How often sending began anew, so that a publish that ends later does not change `next`.
    private var round = 0
    /// The last report of each stream since the connection was made.
    private var reports: [StreamName: Acknowledgement] = [:]
    /// The streams with a report without the retain flag since then.
    private var reported: Set<StreamName> = []

    private static let groupFrames = 20

    /// A sender of the frames in `outbox`; it sends nothing before `connected`.
    public init(outbox: Outbox, publisher: any FramePublisher, retention: Retention = .untilCommitted) {
        self.outbox = outbox
        self.publisher = publisher
        self.retention = retention
    }

    /// Keeps a frame and sends it when it is its turn. Throws when it cannot be written to the outbox's folder.
    public func send(_ frame: Frame) throws {
        try outbox.append(frame)
        wakeUp?.yield()
    }

    /// A connection was made: every frame that is kept is sent, oldest first.
    public func connected() {
        (reports, reported) = ([:], [])
        sendAgain()
    }

    /// The connection was lost: nothing is sent until the next one.
    public func disconnected() {
        round += 1
        next = nil
    }

    /// Removes what a message on `out/committed/{stream}` covers; other payloads change nothing. Nor does a report with a lower
    /// epoch than an earlier one: it is of a gateway that another has taken over from.
    ///
    /// `isRetained` is the message's retain flag. The first report of a stream without the flag after a connection, and one that
    /// repeats an earlier one, can mean that the gateway has just connected and that the broker had nobody to keep frames for.
    /// Then every frame that is kept is sent again.
    public func acknowledge(_ payload: [UInt8], isRetained: Bool) throws {
        guard let report = Acknowledgement(payload) else { return }
        let last = reports[report.stream]
        if let epoch = report.epoch, let latest = last?.epoch, epoch < latest { return }
        reports[report.stream] = report
        try outbox.acknowledge(report)
        guard !isRetained, next != nil else { return }
        let isFirst = reported.insert(report.stream).inserted
        let isRepeated = last.map(report.repeats) ?? false
        if isFirst || isRepeated { sendAgain() }
    }

    /// Sends until its task is cancelled; another task may go on afterwards. Throws when the outbox's folder cannot be changed.
    public func run() async throws {
        let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wakeUp = wakeUp
        wakeUp.yield()
        for await _ in wakeUps {
            while !Task.isCancelled, let place = next {
                let group = outbox.frames(from: place, limit: Self.groupFrames)
                guard let last = group.last else { break }
                let current = round
                var (accepted, end) = (group[...], last.place)
                do {
                    try await publisher.publish(group.map(\.frame))
                } catch let refusal as FrameRefusal where group.indices.contains(refusal.index) {
                    // One that the broker never takes must not hold back the frames of other streams.
                    refusals += 1
                    (accepted, end) = (group[..<refusal.index], group[refusal.index].place)
                } catch {
                    if Task.isCancelled { return }
                    if current == round { next = nil }
                    continue
                }
                if current == round { next = end + 1 }
                if retention == .untilAccepted {
                    for entry in accepted { try outbox.acknowledge(Acknowledgement(entry.frame)) }
                }
            }
        }
    }

    private func sendAgain() {
        round += 1
        next = 0
        wakeUp?.yield()
    }
}
