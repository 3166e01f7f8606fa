package import TelemetryModel

/// What one pedometer frame holds as the device wrote it: dates of its wall clock, and the frame's own order.
package struct DecodedPedometer: Sendable, Equatable {
    /// One of `data`; every value has been checked.
    package struct Count: Sendable, Equatable {
        /// When counting began; nil where the sender does not say.
        package var startDate: UnixTime?
        /// Until when; not before `startDate`.
        package var endDate: UnixTime
        /// The counts; the device times in it are not set yet.
        package var values: PedometerData
    }

    /// One of `events`.
    package struct Event: Sendable, Equatable {
        /// A pause or a resumption.
        package var kind: PedometerEvent.Kind
        /// When the movement paused or went on.
        package var date: UnixTime
    }

    /// Counts.
    package var data: [Count] = []
    /// Pauses and resumptions.
    package var events: [Event] = []
    /// Whether the sender can report pauses at all.
    package var tracksEvents: Bool = true
}

extension DecodedPedometer {
    /// The data in device time, each list sorted by time; `clockOffset` is unix time minus device time in seconds.
    ///
    /// Throws `timeOutOfRange` for a date that is no time of this boot. Counting may have begun before it.
    package func samples(clockOffset: Double, clock: FrameClock) throws(Rejection) -> PedometerSamples {
        var samples = PedometerSamples(tracksEvents: tracksEvents)
        for (index, count) in data.enumerated() {
            var values = count.values
            values.end = try count.endDate.deviceTime(clockOffset: clockOffset, clock: clock, at: "/data/\(index)/endDate")
            values.start = count.startDate.map { min(DeviceTime($0.seconds - clockOffset), values.end) } ?? values.end
            samples.data.append(values)
        }
        for (index, event) in events.enumerated() {
            let time = try event.date.deviceTime(clockOffset: clockOffset, clock: clock, at: "/events/\(index)/date")
            samples.events.append(PedometerEvent(kind: event.kind, time: time))
        }
        samples.data.sort { ($0.end, $0.start) < ($1.end, $1.start) }
        samples.events.sort { $0.time < $1.time }
        return samples
    }
}
