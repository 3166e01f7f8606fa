import TelemetryModel

/// What a device costs, by budget, what it was refused for that, and what it led to be published.
struct DeviceBudgets: Sendable, Equatable, StoredPart {
    static let version = 1

    /// One for each budget of which frames have come.
    var meters: [BudgetMeter] = []
    /// The frames of a stream that were refused since it was used last, until a `gap` tells them.
    var refused: KeyedTable<StreamName, RefusedFrames> = [:]
    /// The gaps of streams of which one was published within the last second; nil where there are none.
    var gaps: KeyedTable<StreamName, GapTrack>?
    /// The state of `EvenPace.boots`; nil before the second boot.
    var boots: Double?
    /// The states of `EvenPace.messages` by kind; nil before the first message that counts.
    var messages: KeyedTable<String, Double>?

    /// Whether anything may be refused at present.
    var isOver: Bool {
        // By place: an element would be copied.
        for index in meters.indices where meters[index].resumesAt != nil { return true }
        return false
    }

    /// The place of the meter of `name`; nil where nothing of it has come.
    func index(of name: BudgetName) -> Int? {
        for index in meters.indices where meters[index].name == name { return index }
        return nil
    }

    /// The place of the meter of `name`, which is made with a frame that arrived at `monotonic` where there is none.
    mutating func index(of name: BudgetName, _ header: FrameHeader, at monotonic: Double) -> Int {
        if let index = index(of: name) { return index }
        meters.append(BudgetMeter(name, header, at: monotonic))
        return meters.count - 1
    }

    /// Ends the run of the device's clock: the next frame is of another, as one of another boot is.
    mutating func endRun() { for index in meters.indices { meters[index].endRun() } }

    /// Counts a message of `kind` where one more may be published at `monotonic` seconds, and returns whether it may.
    mutating func countsMessage(of kind: String, at monotonic: Double) -> Bool {
        let hasManyBoots = EvenPace.boots.isExhausted(boots, at: monotonic)
        func next(after counted: Double?) -> Double? {
            let counted = hasManyBoots ? EvenPace.messages.leavingOne(of: counted, at: monotonic) : counted
            return EvenPace.messages.next(after: counted, at: monotonic)
        }
        var isWithin = true
        let isKnown = messages?.change(kind) { counted in
            if let next = next(after: counted) { counted = next } else { isWithin = false }
        }
        if isKnown != true {
            messages = messages ?? [:]
            messages?[kind] = next(after: nil)
        }
        return isWithin
    }

    /// Moves every instant of the gateway's monotonic clock by `seconds`.
    mutating func shiftMonotonic(by seconds: Double) {
        for index in meters.indices { meters[index].shiftMonotonic(by: seconds) }
        for stream in gaps?.keys ?? [] { _ = gaps?.change(stream) { $0.shiftMonotonic(by: seconds) } }
        boots? += seconds
        for kind in messages?.keys ?? [] { messages?[kind]? += seconds }
    }
}

/// Frames of one stream that were refused because the device was over its budget.
struct RefusedFrames: Sendable, Equatable, Codable {
    /// The boot of those with a `seq` from `first` to `last`.
    private(set) var boot: BootID?
    private(set) var first: UInt64?
    private(set) var last: UInt64?
    /// When the last frame before them ended, on the clock of that boot.
    private(set) var from: DeviceTime?
    /// How many there were in that boot.
    private(set) var count = 0
    /// How many there were in later boots, of which no frame was used.
    private(set) var later = 0

    /// Adds a frame; `from` is the end of the frame before, if that was of the same boot.
    mutating func add(_ header: FrameHeader, from: DeviceTime?) {
        if count == 0 { (boot, self.from) = (header.boot, from) }
        guard header.boot == boot else { return later.addSaturated(1) }
        count.addSaturated(1)
        first = first.least(header.sequence)
        last = last.greatest(header.sequence)
    }

    /// What is missing of `stream` up to a frame of `boot` at `to`: those in between that never came are missing too.
    func gap(of stream: StreamName, to: DeviceTime, in boot: BootID?) -> (gap: Gap, sequence: ClosedRange<UInt64>?) {
        let isOfBoot = boot == self.boot
        var sequence: ClosedRange<UInt64>?
        if let first, let last, isOfBoot, later == 0 { sequence = first...last }
        let missing = sequence.map { Int(clamping: $0.upperBound - $0.lowerBound).addingSaturated(1) } ?? 0
        return (
            Gap(
                stream: stream, unit: .frames, expected: max(missing, count.addingSaturated(later)), received: 0,
                from: isOfBoot ? min(from ?? to, to) : to, to: to, firstSequence: sequence?.lowerBound), sequence
        )
    }

    /// Forgets what was refused in the boot that ended; nil where nothing is left.
    func afterBoot() -> RefusedFrames? {
        guard later > 0 else { return nil }
        var rest = RefusedFrames()
        rest.later = later
        return rest
    }
}
