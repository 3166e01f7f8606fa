/// How many messages that are not urgent may be without a receipt, so that an urgent one does not wait behind them; a pure value.
///
/// A broker reads a connection in order, and a loaded one reads few packets of it at a time. Messages that were written wait in the socket
/// until then, and so does an urgent one that is written after them. The time from a message to its receipt shows how many
/// wait. As in FAST TCP (Wei, Jin, Low and Hegde, 2006), the window is what the broker accepts within the least such time and
/// `queueing`. The least time is measured again every ten seconds with few messages under way, since it may have changed; the last two
/// count, since the broker may be busy during one.
///
/// With few messages under way a receipt that takes longer is late for another reason than messages of this connection: a cluster that
/// has lost a node answers at times that vary by far more than `queueing`. Where two of the last five did, the window does not shrink for times
/// of that length, which would only lower the rate. A single one does not count: on a busy machine one in some hundred is late by 40 ms, and
/// urgent messages would wait as long for the next 20 s.
///
/// Where nothing was timed for two seconds the window begins small again, as that of TCP does after idling (RFC 2861): the broker may
/// have become busy, and what was written by the old window would keep urgent messages waiting for a tenth of a second.
struct OrdinaryWindow {
    /// A message whose receipt is timed, and how many were without one when it was published.
    private struct Probe {
        var packetID: Int32
        var publishedAt: MonotonicInstant
        var inFlightCount: Int
    }

    /// The longest that messages are to wait for others before them.
    private static let queueing = Duration.milliseconds(4)
    private static let smallest = 4
    /// How many times with few under way count.
    private static let most = 5
    /// The window where nothing was timed for `validity`, and the one up to which it doubles from there.
    private static let first = 10
    private static let usual = 32
    private static let validity = Duration.seconds(2)
    private static let interval = Duration.seconds(10)

    private var size = Self.first
    /// When a receipt showed last what `size` may be; nil before the first.
    private var sizedAt: MonotonicInstant?
    /// Whether the window doubles still.
    private var isBeginning = true
    /// The least time that was measured last, and the one before.
    private var least = (last: Duration.seconds(3600), before: Duration.seconds(3600))
    /// How long ordinary messages took with few under way, since the least time was measured last, and before that: the latest of each.
    private var few = (last: [Duration](), before: [Duration]())
    private var measuredAt: MonotonicInstant?
    private var measuresLeast = false
    private var probe: Probe?

    /// How many may be without a receipt.
    var limit: Int { measuresLeast ? Self.smallest : size }

    /// Whether receipts have to be read as soon as they arrive.
    var isMeasuring: Bool { measuresLeast || probe != nil }

    /// Records that a message was published as the last of `inFlightCount`; at most `window` may be without a receipt whatever the limit.
    ///
    /// Nothing is timed while there are fewer than half of the window, as then none waits for long.
    mutating func published(_ packetID: Int32, inFlightCount: Int, window: Int, at now: MonotonicInstant) {
        guard probe == nil else { return }
        if let sizedAt, now - sizedAt > Self.validity {
            (size, isBeginning) = (min(size, Self.first), true)
        }
        if !measuresLeast {
            guard inFlightCount >= min(window, size) / 2 else { return }
            measuresLeast = measuredAt.map { now - $0 > Self.interval } ?? true
        }
        guard !measuresLeast || inFlightCount <= Self.smallest else { return }
        probe = Probe(packetID: packetID, publishedAt: now, inFlightCount: inFlightCount)
    }

    /// Records that the broker accepted or refused the message of this packet identifier.
    mutating func answered(_ packetID: Int32, at now: MonotonicInstant) {
        guard let probe, probe.packetID == packetID else { return }
        self.probe = nil
        let took = now - probe.publishedAt
        if measuresLeast {
            (least, few) = ((took, least.last), ([], few.last))
            (measuredAt, measuresLeast) = (now, false)
            return
        }
        sizedAt = now
        least.last = min(least.last, took)
        if probe.inFlightCount <= Self.smallest { few.last = few.last.suffix(Self.most - 1) + [took] }
        let least = min(least.last, least.before)
        let ofFew = Self.second((few.before + few.last).suffix(Self.most))
        let accepted = max(least + Self.queueing, ofFew)
        if took > accepted {
            (size, isBeginning) = (max(Self.smallest, Int(Double(probe.inFlightCount) * (accepted / took))), false)
        } else if took <= max(least + Self.queueing / 2, ofFew) {
            size = max(size, probe.inFlightCount + probe.inFlightCount / 2, isBeginning ? min(size * 2, Self.usual) : 0)
        }
        isBeginning = isBeginning && size < Self.usual
    }

    /// The longest but one; 0 where there is none.
    private static func second(_ times: some Collection<Duration>) -> Duration {
        times.count < 2 ? .zero : times.sorted()[times.count - 2]
    }

    /// Records that no message is under way any more.
    mutating func connectionLost() { self = OrdinaryWindow() }
}
