import TelemetryModel

/// `wear`: when a device is put on and taken off, from its history. Samples that come late revise what was published.
package struct WearDerivation: HistoryDerivation {
    /// The settings.
    package typealias Settings = WearSettings

    /// `wear`.
    package static let declaration = DerivationDeclaration(
        "wear", version: 1, streams: [.recordedAccelerometer], kinds: [WearChange.self],
        "When a device is worn and when it is not, from recorded acceleration.")

    /// Samples change the states of so many blocks before and behind their own.
    private static let margin = WearMap.blocksPerWindow - 1
    private static let blocksPerDay = Epochs.perDay / WearMap.blockEpochs

    private var published = WearChanges()

    /// No state.
    package init() {}

    /// Publishes the changes that differ from what was published, and at last the latest one, which the retained topic is to hold.
    package mutating func take(
        _ view: HistoryView, _ pass: (any HistoryPass)?, settings: WearSettings, into events: inout [DerivedEvent]
    ) {
        guard let first = view.days.first, let last = view.days.last else { return }
        let origin = view.epochs.firstDay * Self.blocksPerDay
        let blocks = first * Self.blocksPerDay - Self.margin..<(last + 1) * Self.blocksPerDay + Self.margin
        var revised = published.revise(blocks) { view.wear.states[$0 - origin] }
        guard !revised.isEmpty, let newest = published.newest else { return }
        if revised.last != newest { revised = revised.filter { $0 != newest } + [newest] }
        events += revised.compactMap { event(at: $0, settings) }
    }

    private func event(at block: Int, _ settings: WearSettings) -> DerivedEvent? {
        guard let change = published.changes[block] else { return nil }
        let since = Self.time(block)
        let time = DeviceTime(since.seconds)
        let start = change.start.map(Self.time)
        return DerivedEvent(
            time: time, validUntil: time + settings.validHours * 3_600,
            body: WearChange(
                state: change.state, since: since, previous: change.previous, start: start, end: start.map { _ in since },
                revision: change.revision))
    }

    private static func time(_ block: Int) -> UnixTime { UnixTime(Double(block * WearMap.blockEpochs * Epoch.seconds)) }
}
