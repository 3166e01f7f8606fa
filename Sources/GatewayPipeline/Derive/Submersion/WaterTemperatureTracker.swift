package import TelemetryModel

/// Limits the rate of water temperatures: the first of a boot, then at most one per interval.
package struct WaterTemperatureTracker: Codable, Sendable, Equatable {
    private var publishedAt: DeviceTime?

    /// Processes one temperature; one that is not finite, or has no uncertainty of 0 or more, is ignored.
    package mutating func consume(
        _ sample: WaterTemperatureSample, settings: SubmersionSettings, into events: inout [DerivedEvent]
    ) {
        guard sample.temperature.isFinite, sample.uncertainty.isFinite, sample.uncertainty >= 0 else { return }
        if let publishedAt, abs(sample.time - publishedAt) < settings.temperatureIntervalSeconds { return }
        publishedAt = sample.time
        let temperature = WaterTemperature(
            temperature: sample.temperature, uncertainty: sample.uncertainty,
            converged: sample.uncertainty <= settings.convergedCelsius)
        events.append(DerivedEvent(time: sample.time, body: temperature))
    }
}
