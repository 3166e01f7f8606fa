import TelemetryModel

/// `sleep`: the longest rest of each night, from the history of a device whose registry entry consents to it.
package struct SleepDerivation: HistoryDerivation {
    /// The settings.
    package typealias Settings = SleepSettings

    /// `sleep`.
    package static let declaration = DerivationDeclaration(
        "sleep", version: 2, streams: [.recordedAccelerometer], kinds: [SleepPeriod.self],
        "Rest and sleep of each night, from recorded acceleration; needs consent.")

    /// The last message of each night, by the noon before it in unix s.
    private var published: [Int: SleepPeriod] = [:]

    /// No night.
    package init() {}

    /// Counts of the minutes, where the method needs them.
    package static func pass(over days: HistoryDays, settings: SleepSettings) -> (any HistoryPass)? {
        settings.isConsented && settings.method != .zAngle ? SleepPass(of: days, settings.method) : nil
    }

    /// Publishes each night that differs from what was published of it, at the noon before it.
    package mutating func take(
        _ view: HistoryView, _ pass: (any HistoryPass)?, settings: SleepSettings, into events: inout [DerivedEvent]
    ) {
        guard settings.isConsented else { return }
        for night in view.nights {
            let asleep = (pass as? SleepPass)?.isAsleep(night, view.wear)
            let noon = view.epochs.time(night.lowerBound)
            let key = Int(noon.seconds)
            // Samples were discarded for room since: what is left of them says less than what was published.
            if let last = published[key], Self.coverage(of: last, view.epochs) < last.coverage { continue }
            guard
                var found = RestPeriod(in: night, view.epochs, view.wear, asleep: asleep)
                    .map({ Self.period($0, view.epochs, settings.method) }) ?? published[key]?.withdrawn
            else { continue }
            if let last = published[key] {
                found.revision = last.revision
                if found == last { continue }
                found.revision += 1
            }
            published[key] = found
            events.append(DerivedEvent(time: DeviceTime(noon.seconds), body: found))
        }
        published.keepLast(HistoryTrack.rememberedDays)
    }

    private static func period(_ rest: RestPeriod, _ epochs: Epochs, _ method: SleepMethod) -> SleepPeriod {
        let seconds = Double(Epoch.seconds)
        let duration = Double(rest.range.count) * seconds
        return SleepPeriod(
            start: epochs.time(rest.range.lowerBound), end: epochs.time(rest.range.upperBound),
            sleepDuration: Double(rest.sleep) * seconds, wakeAfterOnset: duration - Double(rest.sleep) * seconds,
            awakenings: rest.awakenings,
            coverage: coverage(rest.coveredSeconds, of: duration),
            nonWear: Double(rest.nonWear) * seconds, method: method, revision: 0)
    }

    /// The part of `duration` seconds that has samples, 0 to 1.
    private static func coverage(_ coveredSeconds: Int, of duration: Double) -> Double {
        duration > 0 ? (Double(coveredSeconds) / duration * 10_000).rounded() / 10_000 : 0
    }

    /// The part of a published night that has samples now.
    private static func coverage(of night: SleepPeriod, _ epochs: Epochs) -> Double {
        let range = epochs.index(night.start)..<epochs.index(night.end)
        return coverage(epochs.coveredSeconds(in: range), of: Double(range.count * Epoch.seconds))
    }
}

extension SleepPeriod {
    /// The night without rest, after a message of one that later samples do not show: the device was not worn.
    fileprivate var withdrawn: Self {
        SleepPeriod(
            start: start, end: start, sleepDuration: 0, wakeAfterOnset: 0, awakenings: 0, coverage: 0, nonWear: 0, method: method,
            revision: revision)
    }
}
