import TelemetryModel

/// The samples of one frame as columns: the body of `{kind}/series`, where `{kind}` is the latest of them.
package protocol SampleSeries: DerivedBody {
    /// The instants of the samples on the device's clock in s, increasing; each column has an element for each.
    var timestamp: [Double] { get }
}

extension SampleSeries {
    /// The kind whose values the columns hold.
    static var sampledKind: String { String(name.dropLast("/series".count)) }
}

/// The settings of a derivation that publishes the latest of its samples, and their series.
package protocol SampledSettings: DerivationSettings {
    /// Latest values a second of device time, at most.
    var rateHertz: Double { get }
    /// How long the device may be silent, in s.
    var silenceSeconds: Double { get }
}

extension SampledSettings {
    /// How long a latest value is valid, in s: as long as the device may be silent, and until the third one after it is due, as values
    /// come with their frames.
    package var validSeconds: Double { max(silenceSeconds, 3 / rateHertz) }
}

extension DerivedField where Body: SampleSeries {
    /// The instants of the samples.
    static var timestamp: Self {
        .init("timestamp", "The instants of the samples.") { .columns(.instants($0.timestamp)) }
    }

    /// How far each sample can be relied on: 1 where `summary` says so, else 0.
    static func sampleQuality(_ summary: String, value: @escaping @Sendable (Body) -> [Bool]) -> Self {
        .init("sampleQuality", summary) { .columns(.bits(value($0))) }
    }
}

extension DerivedEvent {
    /// The event of a series; nil where it has no sample.
    init?(series: some SampleSeries) {
        let times = series.timestamp
        guard let first = times.first, let last = times.last, first <= last else { return nil }
        self.init(time: DeviceTime(last), span: DeviceTime(first)...DeviceTime(last), body: series)
    }
}

extension Collection where Element: Equatable {
    /// The element that all are; nil where they differ, or there is none.
    var common: Element? { allSatisfy { $0 == first } ? first : nil }
}

extension DerivationSetting {
    /// How often the latest value of samples is published, up to `most` hertz; `value` is what is published.
    package static func rateHertz(
        _ property: any WritableKeyPath<Settings, Double> & Sendable, to most: Double = 100, of value: String
    ) -> Self {
        .number("rateHertz", property, in: 0.1...most, unit: "hertz", "How often \(value) is published")
    }

    /// How many samples a second the series has; `kind` is the series.
    package static func seriesHertz(
        _ property: any WritableKeyPath<Settings, Double> & Sendable, of kind: String
    ) -> Self {
        .number(
            "seriesHertz", property, in: 0...1_000, unit: "hertz",
            "How many samples a second `\(kind)` has, a message for each frame; 0 for no series, and at or above the rate of the stream every sample"
        )
    }
}

extension DeviceTime {
    /// The number of the period of `hertz` that the instant lies in; counted in whole microseconds, in which decimal times are exact.
    private func period(hertz: Double) -> Double { (Double(microseconds) * hertz / 1e6).rounded(.down) }

    /// Whether a latest value is due `hertz` times a second with a sample at the instant, after one at `published`.
    func isDue(after published: DeviceTime?, hertz: Double) -> Bool {
        published.map { $0.period(hertz: hertz) < period(hertz: hertz) } ?? true
    }

    /// Whether a series of `hertz` has a sample at the instant; `due` is when its next is due at an even pace, and is moved on.
    ///
    /// A sample may come up to half an interval early: of a stream whose times vary by less, a series of its rate has every sample.
    func joinsSeries(hertz: Double, due: inout DeviceTime?) -> Bool {
        guard hertz > 0 else { return false }
        let interval = 1 / hertz
        var pace = self
        // Later than one interval and a half is no time of this pace: the setting was another.
        if let next = due, next - self < 1.5 * interval {
            guard next - self <= 0.5 * interval else { return false }
            pace = max(next, self)
        }
        due = pace + interval
        return true
    }
}
