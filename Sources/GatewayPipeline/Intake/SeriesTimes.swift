import TelemetryModel

/// Up to when the samples of one stream were accepted in a run, by series.
///
/// A sample that is not later confirms nothing: a bridge may repeat its last message, an app its last measurement in new frames, and a broker
/// may deliver an old message behind newer ones.
struct SeriesTimes: Sendable, Equatable, Codable {
    /// The latest sample of the first series: events, acceleration, relative altitude, or the only one.
    private var first = -Double.greatestFiniteMagnitude
    /// The latest of the second: depth, motion of a batch, absolute altitude.
    private var second = -Double.greatestFiniteMagnitude
    /// The latest water temperature.
    private var temperature = -Double.greatestFiniteMagnitude
    /// The latest sensor error.
    private var error = -Double.greatestFiniteMagnitude
    /// The greatest depth that was measured at `second`, in m.
    private var depth = -Double.greatestFiniteMagnitude
    /// The raw value of the deepest depth state that the device reported at `second`.
    private var state = 0
    /// Whether the device entered the water at `first`.
    private var isSubmerged = false

    /// The latest sample of the first two series.
    var latest: Double { max(first, second) }

    /// Counts the samples of `body` as accepted; returns the body without those that are not later than what was accepted before, and how many
    /// these were, or nil where there were none.
    mutating func accept(_ body: FrameBody) -> (rest: FrameBody, removed: Int)? {
        switch body {
        case .headphoneMotion(let samples):
            let old = acceptFirst(samples.timestamp)
            return old > 0 ? (.headphoneMotion(samples.slice(old..<samples.count)), old) : nil
        case .deviceMotion(let samples):
            let old = acceptFirst(samples.timestamp)
            return old > 0 ? (.deviceMotion(samples.slice(old..<samples.count)), old) : nil
        case .batchedIMU(let batch): return accept(batch)
        case .altimeter(let samples): return accept(samples)
        case .submersion(let samples): return accept(samples)
        // Events are ordered where they are used, and results may be queried later.
        case .headphoneConnection, .pedometer, .status, .workout, .command, .recordedAcceleration, .movementDisorder: return nil
        }
    }

    private mutating func accept(_ batch: BatchedIMU) -> (FrameBody, Int)? {
        let times = (batch.accelerometer?.timestamp ?? [], batch.deviceMotion?.timestamp ?? [])
        let old = (acceptFirst(times.0), acceptSecond(times.1))
        guard old.0 + old.1 > 0 else { return nil }
        var rest = batch
        rest.accelerometer = old.0 < times.0.count ? batch.accelerometer?.slice(old.0..<times.0.count) : nil
        rest.deviceMotion = old.1 < times.1.count ? batch.deviceMotion?.slice(old.1..<times.1.count) : nil
        return (.batchedIMU(rest), old.0 + old.1)
    }

    private mutating func accept(_ samples: AltimeterSamples) -> (FrameBody, Int)? {
        let old = (acceptFirst(samples.timestamp), acceptSecond(samples.absolute?.timestamp ?? []))
        return old.0 + old.1 > 0 ? (.altimeter(samples.dropping(old.0, absolute: old.1)), old.0 + old.1) : nil
    }

    private mutating func accept(_ samples: SubmersionSamples) -> (FrameBody, Int)? {
        let before = self
        for event in samples.events { note(event) }
        for measurement in samples.measurements { note(measurement) }
        if let last = samples.temperatures.last { temperature = max(temperature, last.time.seconds) }
        if let last = samples.errors.last { error = max(error, last.time.seconds) }
        guard before.mayHoldOld(samples) else { return nil }
        var rest = samples
        rest.events.removeAll { !before.isNews($0) }
        rest.measurements.removeAll { !before.isNews($0) }
        rest.temperatures.removeAll { $0.time.seconds <= before.temperature }
        rest.errors.removeAll { $0.time.seconds <= before.error }
        let removed = samples.count - rest.count
        return removed > 0 ? (.submersion(rest), removed) : nil
    }

    // MARK: Submersion

    /// Of the same instant, an entry into the water is news after an exit: the deeper of two states counts.
    private func isNews(_ event: SubmersionEvent) -> Bool {
        let time = event.time.seconds
        return time > first || (time == first && event.state == .submerged && !isSubmerged)
    }

    /// Of the same instant, a deeper measurement is news, for clocks with whole seconds; so is what is no number.
    private func isNews(_ measurement: SubmersionMeasurement) -> Bool {
        let time = measurement.time.seconds
        guard time == second else { return time > second }
        if let rank = measurement.submersionState?.rawValue, rank > state { return true }
        return measurement.roughDepth.map { !($0 <= depth) } ?? false
    }

    private mutating func note(_ event: SubmersionEvent) {
        let time = event.time.seconds
        guard time >= first else { return }
        isSubmerged = event.state == .submerged || (time == first && isSubmerged)
        first = time
    }

    private mutating func note(_ measurement: SubmersionMeasurement) {
        let time = measurement.time.seconds
        guard time >= second else { return }
        if time > second { (depth, state) = (-Double.greatestFiniteMagnitude, 0) }
        second = time
        if let rough = measurement.roughDepth, rough > depth { depth = rough }
        state = max(state, measurement.submersionState?.rawValue ?? 0)
    }

    /// Whether the first entry of any list is not later than what was accepted; the lists are in time order.
    private func mayHoldOld(_ samples: SubmersionSamples) -> Bool {
        samples.events.first.map { $0.time.seconds <= first } ?? false
            || samples.measurements.first.map { $0.time.seconds <= second } ?? false
            || samples.temperatures.first.map { $0.time.seconds <= temperature } ?? false
            || samples.errors.first.map { $0.time.seconds <= error } ?? false
    }

    // MARK: Columns

    /// Accepts a column of the first series; returns how many samples at its beginning are not later than those before.
    private mutating func acceptFirst(_ times: [Double]) -> Int {
        defer { first = max(first, times.last ?? first) }
        return Self.old(times, until: first)
    }

    /// Accepts a column of the second series; returns how many samples at its beginning are not later than those before.
    private mutating func acceptSecond(_ times: [Double]) -> Int {
        defer { second = max(second, times.last ?? second) }
        return Self.old(times, until: second)
    }

    private static func old(_ times: [Double], until time: Double) -> Int {
        guard let first = times.first, first <= time else { return 0 }
        return times.firstIndex { $0 > time } ?? times.count
    }
}

extension SubmersionMeasurement {
    /// The depth in m, as exact as needed to compare two measurements of one sensor; nil where nothing shows it.
    fileprivate var roughDepth: Double? {
        if let depth { return depth }
        guard let pressure, let surfacePressure = surfacePressure ?? (learnsSurface == true ? 0 : nil) else { return nil }
        return (pressure - surfacePressure) / 10
    }
}

extension FrameBody {
    fileprivate var hasMaximumDepth: Bool {
        if case .submersion(let samples) = self { samples.maximumDepth != nil } else { false }
    }
}

extension SubmersionSamples {
    /// How many entries its lists have.
    fileprivate var count: Int { events.count + measurements.count + temperatures.count + errors.count }
}

extension AltimeterSamples {
    /// The samples without so many at the beginning of each series.
    fileprivate func dropping(_ count: Int, absolute absoluteCount: Int) -> AltimeterSamples {
        var rest = self
        rest.timestamp.removeFirst(count)
        rest.relativeAltitude?.removeFirst(count)
        rest.pressure?.removeFirst(count)
        guard let absolute, absoluteCount > 0 else { return rest }
        guard absoluteCount < absolute.timestamp.count else {
            rest.absolute = nil
            return rest
        }
        rest.absolute?.timestamp.removeFirst(absoluteCount)
        rest.absolute?.altitude.removeFirst(absoluteCount)
        rest.absolute?.accuracy.removeFirst(absoluteCount)
        rest.absolute?.precision.removeFirst(absoluteCount)
        return rest
    }
}

extension KeyedTable where Key == StreamName, Value == SeriesTimes {
    /// Removes from frames the samples that are not later than those accepted, and counts the others as accepted; returns how many were removed.
    mutating func acceptSamples(of frames: inout [NormalizedFrame]) -> Int {
        var removed = 0
        for index in frames.indices where frames[index].stream.hasSeries {
            guard let (rest, old) = self[frames[index].stream, default: SeriesTimes()].accept(frames[index].body) else {
                continue
            }
            removed.addSaturated(old)
            frames[index].body = rest
            // A limit of the device's own counts without a sample.
            frames[index].isRepeated = rest.sampleCount == 0 && !rest.hasMaximumDepth
        }
        return removed
    }
}

extension StreamName {
    /// Whether its samples are accepted in the order of their times alone.
    fileprivate var hasSeries: Bool {
        switch self {
        case .submersion, .batchedIMU, .deviceMotion, .headphoneMotion, .altimeter: true
        default: false
        }
    }
}
