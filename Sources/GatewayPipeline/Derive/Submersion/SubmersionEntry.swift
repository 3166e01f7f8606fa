package import TelemetryModel

/// One entry of a submersion frame, whichever list it came in.
package enum SubmersionEntry: Sendable, Equatable {
    /// The water was entered or left.
    case event(SubmersionEvent)
    /// A depth.
    case measurement(SubmersionMeasurement)
    /// A water temperature.
    case temperature(WaterTemperatureSample)
    /// What the device could not do.
    case error(SubmersionError)

    /// When, on the device's clock.
    package var time: DeviceTime {
        switch self {
        case .event(let event): event.time
        case .measurement(let measurement): measurement.time
        case .temperature(let sample): sample.time
        case .error(let error): error.time
        }
    }

    /// Whether the time can be calculated with: within 2^53 microseconds, the resolution of message ids. NaN is not.
    private var hasUsableTime: Bool { abs(time.seconds) <= 0x1p53 / 1e6 }

    /// The entries of all four lists by time; at the same instant events come first, then measurements, temperatures
    /// and errors. An entry whose time cannot be calculated with is left out.
    package static func merged(_ samples: SubmersionSamples) -> [SubmersionEntry] {
        var entries: [SubmersionEntry] = []
        entries.reserveCapacity(
            samples.events.count + samples.measurements.count + samples.temperatures.count + samples.errors.count)
        func add(_ entry: SubmersionEntry) { if entry.hasUsableTime { entries.append(entry) } }
        for event in samples.events { add(.event(event)) }
        for measurement in samples.measurements { add(.measurement(measurement)) }
        for temperature in samples.temperatures { add(.temperature(temperature)) }
        for error in samples.errors { add(.error(error)) }
        entries.sort { $0.time < $1.time }
        return entries
    }
}
