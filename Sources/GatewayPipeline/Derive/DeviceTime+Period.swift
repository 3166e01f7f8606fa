import TelemetryModel

extension DeviceTime {
    /// The number of the period of `hertz` that the instant lies in; counted in whole microseconds, in which decimal times are exact.
    func period(hertz: Double) -> Double { (Double(microseconds) * hertz / 1e6).rounded(.down) }
}
