package import TelemetryModel

/// What one submersion frame holds as the device wrote it: its own units, either clock, and the frame's own order.
package struct DecodedSubmersion: Sendable, Equatable {
    /// Entering and leaving the water.
    package var events: [Event] = []
    /// Depths and pressures.
    package var measurements: [Measurement] = []
    /// Water temperatures.
    package var temperatures: [Temperature] = []
    /// What the device could not do.
    package var errors: [Failure] = []
    /// The maximum depth that the device states; more than 0.
    package var maximumDepth: Quantity<LengthUnit>?
}

extension DecodedSubmersion {
    /// The memory that it takes, in bytes.
    var bytes: Int {
        events.count * MemoryLayout<Event>.stride + measurements.count * MemoryLayout<Measurement>.stride
            + temperatures.count * MemoryLayout<Temperature>.stride + errors.count * MemoryLayout<Failure>.stride
    }
}

/// An instant on the clock that the device used.
package enum Instant: Sendable, Equatable {
    /// `timestamp`: the device's monotonic clock.
    case device(DeviceTime)
    /// `date`: the device's wall clock.
    case unix(UnixTime)
}

extension DecodedSubmersion {
    /// One of `events`.
    package struct Event: Sendable, Equatable {
        /// When the water was entered or left.
        package var instant: Instant
        /// What is true from then on.
        package var state: SubmersionState
    }

    /// One of `measurements`; every value is finite, none is judged, and each may be missing.
    package struct Measurement: Sendable, Equatable {
        /// When it was measured.
        package var instant: Instant
        /// Depth, positive downwards.
        package var depth: Quantity<LengthUnit>?
        /// Absolute pressure of the water.
        package var pressure: Quantity<PressureUnit>?
        /// Absolute pressure of the air at the surface.
        package var surfacePressure: Quantity<PressureUnit>?
        /// Whether the pressure of the air is to be learned of the measurements out of the water.
        package var learnsSurface = false
        /// The device's own depth state; nil also for a raw value newer than this gateway.
        package var submersionState: DepthState?
    }

    /// One of `temperatures`.
    package struct Temperature: Sendable, Equatable {
        /// When it was measured.
        package var instant: Instant
        /// A point on the unit's scale.
        package var temperature: Quantity<TemperatureUnit>
        /// A difference on the unit's scale, 0 or more.
        package var uncertainty: Quantity<TemperatureUnit>
    }

    /// One of `errors`.
    package struct Failure: Sendable, Equatable {
        /// When it was reported.
        package var instant: Instant
        /// A raw value of the `CMErrorDomain`.
        package var code: Int
    }
}

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
        var sample = SubmersionMeasurement(
            time: time, depth: depth?.meters, pressure: try pressure?.finiteKilopascals(at: "/pressure/value"),
            surfacePressure: try surfacePressure?.finiteKilopascals(at: "/surfacePressure/value"),
            submersionState: submersionState)
        if learnsSurface { sample.learnsSurface = true }
        return sample
    }
}

extension Quantity<PressureUnit> {
    /// The pressure in kPa; throws `invalidValue` at `pointer` where the number is too large for that.
    func finiteKilopascals(at pointer: String) throws(Rejection) -> Double {
        guard kilopascals.isFinite else {
            throw Rejection(.invalidValue, at: pointer, "\(value) is too large to be converted to kPa")
        }
        return kilopascals
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
