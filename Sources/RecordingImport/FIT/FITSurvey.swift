import FITDecoding

/// What one of the FIT files behind each other holds.
struct FITContent {
    /// Its place among them, from 0.
    let place: Int
    /// The times of its records and its timer, in seconds since 1989-12-31.
    fileprivate(set) var span: ClosedRange<UInt32>?
    /// The pressures of its records.
    private(set) var pressures = DivePressures()
    /// Whether a record has an altitude.
    fileprivate(set) var hasAltitude = false
    /// Whether a record has a cadence.
    fileprivate(set) var hasCadence = false
    /// What happened to the timer, by time.
    fileprivate(set) var timer: [(time: UInt32, event: FITTimer)] = []

    fileprivate var votes = MajorityTime()
    private var sessions: [FITSession] = []
    private var sport: Int64?

    /// As many events and sessions as any file has.
    private static let mostEvents = 10_000
    /// A time further from the others than so many seconds is wrong.
    private static let longestSpan: UInt32 = 30 * 86_400

    init(place: Int) { self.place = place }

    /// The sport at an instant.
    func sport(at time: UInt32) -> FITSport {
        FITSport(number: sessions.first { ($0.start...max($0.start, $0.end)).contains(time) }?.sport ?? sport)
    }

    /// Whether it is of a dive: where there is an altitude, a pressure is that of the air.
    var hasWater: Bool { pressures.hasDepth || (pressures.lowest != nil && !hasAltitude && !isOnFoot) }

    /// Whether any of its sports is on foot.
    var isOnFoot: Bool { (sessions.map(\.sport) + [sport]).contains { FITSport(number: $0).isOnFoot } }

    /// Whether a time is near those of the most records.
    func isPlausible(_ time: UInt32) -> Bool {
        guard let usual = votes.time else { return false }
        return max(time, usual) - min(time, usual) < Self.longestSpan
    }

    fileprivate mutating func add(_ message: FITMessage) {
        switch message.number {
        case FITNumber.record:
            guard let time = message.timestamp else { return }
            votes.add(time, near: Self.longestSpan)
            let record = FITRecord(message)
            pressures.add(FITWater.water(record))
            hasAltitude = hasAltitude || record.altitude != nil
            hasCadence = hasCadence || record.cadence != nil
        case FITNumber.event:
            guard let time = message.timestamp, let event = FITTimer(event: message), timer.count < Self.mostEvents else {
                return
            }
            timer.append((time, event))
        case FITNumber.session:
            if sessions.count < Self.mostEvents, let session = FITSession(message) { sessions.append(session) }
            sport = sport ?? message.integer(5)
        case FITNumber.sport: sport = sport ?? message.sport
        default: break
        }
    }

    fileprivate mutating func addSpan(_ message: FITMessage) {
        guard message.number == FITNumber.record || FITTimer(event: message) != nil, let time = message.timestamp,
            isPlausible(time)
        else { return }
        span.include(time)
    }

    fileprivate mutating func finish() {
        timer = timer.filter { isPlausible($0.time) }.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }
}

/// The time that most times are near to, by Boyer and Moore's vote: one that is wrong is outvoted, also the first.
private struct MajorityTime {
    private(set) var time: UInt32?
    private var votes = 0

    mutating func add(_ other: UInt32, near distance: UInt32) {
        guard let time, votes > 0 else { return (self.time, votes) = (other, 1) }
        votes += max(time, other) - min(time, other) < distance ? 1 : -1
    }
}

/// A first look at a file: the FIT files in it, and what is wrong with them.
struct FITSurvey {
    /// More are not read: each is opened for itself.
    private static let mostFiles = 256

    private(set) var contents: [FITContent] = []
    private(set) var problems: [FITProblem] = []
    /// FIT files that are too many.
    private(set) var surplus = 0

    /// Reads the pieces that each call of `open` gives anew.
    init(_ open: () throws(ImportProblem) -> FileChunks) throws(ImportProblem) {
        try Self.read(try open()) { item, place in
            switch item {
            case .file: if place < Self.mostFiles { contents.append(FITContent(place: place)) } else { surplus += 1 }
            case .message(let message): if place < contents.count { contents[place].add(message) }
            case .problem(let problem): if problems.count < Self.mostFiles { problems.append(problem) }
            }
        }
        try Self.read(try open()) { item, place in
            if case .message(let message) = item, place < contents.count { contents[place].addSpan(message) }
        }
        for index in contents.indices { contents[index].finish() }
    }

    private static func read(
        _ chunks: FileChunks, _ use: (FITDecoder.Item, Int) -> Void
    ) throws(ImportProblem) {
        var decoder = FITDecoder()
        var place = -1
        while true {
            let chunk = try chunks.next()
            decoder.feed(chunk)
            while let item = decoder.next() {
                if case .file = item { place += 1 }
                use(item, place)
            }
            if chunk.isEmpty { return }
        }
    }
}
