internal import JSONText

extension PedometerReadings {
    private static let maximumEntries = 256

    /// Throws unless the readings can be written in a frame made at `instant`.
    func check(_ instant: DeviceInstant) throws(FrameError) {
        guard !isEmpty else { throw .empty }
        // Without the wall clock a date has no place on the device's clock.
        guard TimeRule.wallClock.contains(instant.unix) else { throw .timeOutOfRange(field: "sent", seconds: instant.unix) }
        for (field, count) in [("data", data.count), ("events", events.count)] where count > Self.maximumEntries {
            throw .tooMany(field: field, count: count, limit: Self.maximumEntries)
        }
        for (index, count) in data.enumerated() { try count.check("data[\(index)]", instant) }
        for (index, event) in events.enumerated() { try instant.checkDate(event.date, "events[\(index)].date") }
    }

    /// Writes the lists that are not empty.
    func write(into json: inout JSONWriter) {
        if !data.isEmpty {
            json.array("data") { json in
                for count in data { json.object { count.write(into: &$0) } }
            }
        }
        if !events.isEmpty {
            json.array("events") { json in
                for event in events {
                    json.object {
                        $0.field("type", event.kind.name)
                        $0.field("date", event.date, decimals: FrameEncoding.time)
                    }
                }
            }
        }
    }
}

extension PedometerReadings.Count {
    private static let fastest = (cadence: 6.0, speed: 12.5)
    /// Seconds from which on the contract limits means.
    private static let checkedSeconds = 10.0
    private static let mostSteps = 1 << 40
    /// The greatest number that the wire has for a distance in m and a pace in s/m.
    private static let most = 1e9
    private static let decimals = 6

    fileprivate func check(_ field: String, _ instant: DeviceInstant) throws(FrameError) {
        guard startDate.isFinite else { throw .notFinite(field: "\(field).startDate") }
        guard TimeRule.wallClock.contains(startDate) else {
            throw .timeOutOfRange(field: "\(field).startDate", seconds: startDate)
        }
        try instant.checkDate(endDate, "\(field).endDate")
        guard endDate >= startDate else { throw .timeOutOfRange(field: "\(field).endDate", seconds: endDate) }
        // The microsecond that rounding may take off.
        let seconds = endDate - startDate - 1e-6
        let isLong = seconds >= Self.checkedSeconds - 1e-3
        for (name, count) in [
            ("numberOfSteps", steps), ("floorsAscended", floorsAscended ?? 0), ("floorsDescended", floorsDescended ?? 0),
        ] {
            guard (0...Self.mostSteps).contains(count) else { throw .outOfRange(field: "\(field).\(name)", value: Double(count)) }
        }
        guard !isLong || Double(steps) <= Self.fastest.cadence * seconds else {
            throw .outOfRange(field: "\(field).numberOfSteps", value: Double(steps))
        }
        let longest = isLong ? min(Self.most, Self.fastest.speed * seconds) : Self.most
        try distance?.check("\(field).distance", 0...longest)
        try currentCadence?.check("\(field).currentCadence", 0...Self.fastest.cadence)
        // A pace faster than 12.5 m/s is not one; a millionth is kept for rounding.
        let paces = (1 / Self.fastest.speed + 1e-6)...Self.most
        try currentPace?.check("\(field).currentPace", paces)
        try averageActivePace?.check("\(field).averageActivePace", paces)
    }

    fileprivate func write(into json: inout JSONWriter) {
        json.field("startDate", startDate, decimals: FrameEncoding.time)
        json.field("endDate", endDate, decimals: FrameEncoding.time)
        json.field("numberOfSteps", steps)
        if let distance { json.field("distance", distance, decimals: Self.decimals) }
        if let floorsAscended { json.field("floorsAscended", floorsAscended) }
        if let floorsDescended { json.field("floorsDescended", floorsDescended) }
        if let currentPace { json.field("currentPace", currentPace, decimals: Self.decimals) }
        if let currentCadence { json.field("currentCadence", currentCadence, decimals: Self.decimals) }
        if let averageActivePace { json.field("averageActivePace", averageActivePace, decimals: Self.decimals) }
    }
}

extension DeviceInstant {
    /// How far a date may lie before the start of the monotonic clock, and past the frame's clock, in s.
    private static let tolerance = 4.999

    /// Throws unless `date` is a time of this boot, up to the instant.
    func checkDate(_ date: Double, _ field: @autoclosure () -> String) throws(FrameError) {
        guard date.isFinite else { throw .notFinite(field: field()) }
        guard TimeRule.wallClock.contains(date), (-Self.tolerance...uptime + Self.tolerance).contains(date - (unix - uptime))
        else {
            throw .timeOutOfRange(field: field(), seconds: date)
        }
    }
}

extension Double {
    /// Throws `notFinite`, or `outOfRange` for what is not in `range`.
    func check(_ field: @autoclosure () -> String, _ range: ClosedRange<Double>) throws(FrameError) {
        try checkFinite(field())
        guard range.contains(self) else { throw .outOfRange(field: field(), value: self) }
    }
}
