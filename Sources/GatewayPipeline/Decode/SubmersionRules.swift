package import TelemetryModel

extension DecodedSubmersion {
    /// The data in the model's units and in device time, each list sorted by time, ties in the frame's order.
    ///
    /// `clockOffset` is unix time minus device time in seconds, `clock` the frame's. Throws `timeOutOfRange` for a `date`
    /// that is no time of this boot, `invalidValue` for a pressure too large to be a number of kPa.
    package func samples(clockOffset: Double, clock: FrameClock) throws(Rejection) -> SubmersionSamples {
        let time = { (instant: Instant) throws(Rejection) in try instant.deviceTime(clockOffset: clockOffset, clock: clock) }
        var samples = SubmersionSamples(maximumDepth: maximumDepth?.meters)
        samples.events = try Self.normalized(events, "events") { entry throws(Rejection) in
            SubmersionEvent(time: try time(entry.instant), state: entry.state)
        }
        samples.measurements = try Self.normalized(measurements, "measurements") { entry throws(Rejection) in
            try entry.sample(at: try time(entry.instant))
        }
        samples.temperatures = try Self.normalized(temperatures, "temperatures") { entry throws(Rejection) in
            WaterTemperatureSample(
                time: try time(entry.instant), temperature: entry.temperature.celsius,
                uncertainty: entry.uncertainty.celsiusDifference)
        }
        samples.errors = try Self.normalized(errors, "errors") { entry throws(Rejection) in
            SubmersionError(time: try time(entry.instant), code: entry.code)
        }
        return samples
    }

    private static func normalized<Entry, Sample: Timed>(
        _ entries: [Entry], _ list: String, _ rule: (Entry) throws(Rejection) -> Sample
    ) throws(Rejection) -> [Sample] {
        var samples: [Sample] = []
        samples.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            do throws(Rejection) {
                samples.append(try rule(entry))
            } catch {
                throw Rejection(error.reason, at: "/\(list)/\(index)\(error.pointer)", error.detail)
            }
        }
        samples.sort { $0.time < $1.time }
        return samples
    }
}

extension DecodedSubmersion.Measurement {
    fileprivate func sample(at time: DeviceTime) throws(Rejection) -> SubmersionMeasurement {
        SubmersionMeasurement(
            time: time, depth: depth?.meters, pressure: try Self.kilopascals(pressure, "pressure"),
            surfacePressure: try Self.kilopascals(surfacePressure, "surfacePressure"), submersionState: submersionState)
    }

    private static func kilopascals(_ pressure: Quantity<PressureUnit>?, _ key: String) throws(Rejection) -> Double? {
        guard let pressure else { return nil }
        guard pressure.kilopascals.isFinite else {
            throw Rejection(.invalidValue, at: "/\(key)/value", "\(pressure.value) is too large to be converted to kPa")
        }
        return pressure.kilopascals
    }
}

extension Instant {
    fileprivate func deviceTime(clockOffset: Double, clock: FrameClock) throws(Rejection) -> DeviceTime {
        switch self {
        case .device(let time): return time
        case .unix(let date): return try date.deviceTime(clockOffset: clockOffset, clock: clock, at: "/date")
        }
    }
}

extension UnixTime {
    /// The instant on the device's clock; throws `timeOutOfRange` at `pointer` for one that is no time of this boot.
    func deviceTime(clockOffset: Double, clock: FrameClock, at pointer: String) throws(Rejection) -> DeviceTime {
        let time = DeviceTime(seconds - clockOffset)
        // An estimated offset is too large by the transfer time of the fastest frame.
        let earliest = DeviceTime(max(0, time.seconds))
        guard time.seconds >= -FrameClock.toleranceSeconds, clock.admits(earliest) else {
            throw Rejection(
                .timeOutOfRange, at: pointer,
                "\(seconds) is \(time.seconds) s on the device's clock, whose uptime is \(clock.uptime.seconds) s")
        }
        return earliest
    }
}

/// A value with an instant to be sorted by.
private protocol Timed {
    var time: DeviceTime { get }
}

extension SubmersionEvent: Timed {}
extension SubmersionMeasurement: Timed {}
extension WaterTemperatureSample: Timed {}
extension SubmersionError: Timed {}
