package import TelemetryModel

/// `connection/device`: devices that connect, disconnect, fall silent and restart.
///
/// A watch without data may be silent for hours, and its last will reports when it is gone. Silence therefore counts only while a
/// stream with a nominal rate is active: one with data since the connection began, and less than the silence limit before the
/// last activity.
///
/// Activity in other lanes is stored only with the next change of the state. A restored state can therefore be older than what the device
/// sent last, and more of that may be queued at the broker. So after a start nothing is judged to be silence until the queue is read, and
/// silence is counted anew from then on. Until data come only the timer ends that count, as it runs with the gateway's clock. The device's
/// clock is estimated by a frame that may have come late, so data may lie longer after the beginning of the count than they are.
package struct DeviceConnectionDerivation: Derivation {
    /// The input of a device connection, in the device time of the current boot.
    package enum Input: Sendable {
        /// A status sent at `at`; a last will has no device time, so the caller estimates it.
        case status(DeviceStatus.State, at: DeviceTime, isLastWill: Bool)
        /// A frame other than `status`, whose data start at `from`, sent at `to`; `nominalRate` if its stream has one.
        case activity(from: DeviceTime, to: DeviceTime, nominalRate: Bool)
    }

    /// `connection.device`.
    package static let declaration = DerivationDeclaration(
        "connection.device", version: 1, streams: [.status], kinds: [ConnectionChange.self], followsActivity: true,
        paths: ["connection/device"],
        "Devices that come, go, send nothing any more and start again.")

    private var track: ConnectionTrack
    /// When the last frame of a stream with a nominal rate was sent.
    private var lastNominal: DeviceTime?
    /// True of a restored state, which may be older than what the device has sent; false once silence is counted anew, before any data; nil
    /// once data have come.
    private var isUnconfirmed: Bool?

    /// A device without any report or data.
    package init() { track = ConnectionTrack(.device) }

    /// A new boot of the device of `previous`: its first connection is a `reboot` from the state it was in.
    package init(rebooting previous: Self) { track = ConnectionTrack(rebooting: previous.track) }

    /// Moves every instant by `seconds`, onto the clock of a boot that replaces one without a clock of its own.
    package mutating func shift(by seconds: Double) {
        track.shift(by: seconds)
        lastNominal = lastNominal.map { $0 + seconds }
    }

    /// Publishes the transitions that follow from the status or the frame.
    package mutating func consume(_ input: Input, settings: DeviceConnectionSettings, into events: inout [DerivedEvent]) {
        let limit = isUnconfirmed == nil ? limit(settings) : nil
        let last = track.lastData
        defer { if settings.isCurrent, track.lastData != last { isUnconfirmed = nil } }
        switch input {
        case .status(.online, let time, _):
            track.connect(at: time, limit: limit, into: &events)
            if track.state != .disconnected { _ = track.resume(at: time, limit: limit, into: &events) }
        case .status(.offline, let time, isLastWill: false):
            track.disconnect(at: time, limit: limit, into: &events)
        case .status(.offline, let time, isLastWill: true):
            track.disconnect(at: track.notBefore(time), cause: .lastWill, limit: limit, into: &events)
        case .activity(let start, let end, let isNominal):
            // Recorded history is sent long after it was measured: the time of sending counts then.
            let first = track.isNews(start) ? start : end
            guard track.resume(at: first, limit: limit, into: &events) else { return }
            _ = track.resume(at: end, limit: nil, into: &events)
            if isNominal { lastNominal = end }
        }
    }

    /// The state that a device reports in its `status`.
    package static func input(of frame: NormalizedFrame, settings: DeviceConnectionSettings) -> Input? {
        guard case .status(let status) = frame.body else { return nil }
        return .status(status.state, at: frame.header.uptime, isLastWill: false)
    }

    /// Processes the device's own reports, those of other parties, and its frames.
    package mutating func take(
        _ occurrence: Occurrence, settings: DeviceConnectionSettings, into output: inout DerivationOutput
    ) {
        switch occurrence {
        case .frame(let frame):
            if let input = Self.input(of: frame, settings: settings) { consume(input, settings: settings, into: &output.events) }
        case .presence(let state, let time, let isLastWill):
            consume(.status(state, at: time, isLastWill: isLastWill), settings: settings, into: &output.events)
        case .activity(let activity, let age):
            // A frame that was queued longer than the limit must not end a silence, but newer ones may be queued behind it.
            guard age <= settings.limit else { return track.countSilence(from: activity.header.uptime + age) }
            var settings = settings
            settings.isCurrent = activity.isCurrent
            consume(
                .activity(from: activity.entry.first, to: activity.header.uptime, nominalRate: activity.isSteady),
                settings: settings, into: &output.events)
        case .interruption(.reboot, _): track.end(by: nil)
        case .interruption(.newRun(let cause), _): track.end(by: cause)
        case .interruption(.access, _), .doubt, .event, .history, .announcement, .acknowledgement: break
        }
    }

    /// A reboot does not disconnect: the state so far is kept.
    package func continued() -> Self? { Self(rebooting: self) }

    /// A connection that was restored must be confirmed by data, or by a whole silence.
    package mutating func markRestored() {
        if track.state == .connected { isUnconfirmed = true }
    }

    /// The last activity plus the silence limit, while silence counts.
    package func due(settings: DeviceConnectionSettings) -> DeviceTime? { track.due(limit: limit(settings)) }

    /// Publishes `silent`, at its due time. Of a state that is not confirmed, silence is counted from `now` on.
    package mutating func fire(until now: DeviceTime, settings: DeviceConnectionSettings, into events: inout [DerivedEvent]) {
        guard isUnconfirmed != true else {
            guard settings.isCurrent else { return }
            isUnconfirmed = false
            return track.countSilence(from: now)
        }
        track.expire(until: now, limit: limit(settings), into: &events)
    }

    /// The silence limit; nil while no stream with a nominal rate is active.
    private func limit(_ settings: DeviceConnectionSettings) -> Double? {
        guard let lastNominal, let since = track.since, let lastData = track.lastData, since <= lastNominal,
            lastData < lastNominal + settings.limit
        else { return nil }
        return settings.limit
    }
}
