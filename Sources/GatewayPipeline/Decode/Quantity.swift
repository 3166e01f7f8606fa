/// A finite number with the unit that the device wrote beside it.
package struct Quantity<Unit: MeasurementUnit>: Sendable, Equatable {
    /// The number, in `unit`.
    package var value: Double
    /// What the number counts.
    package var unit: Unit

    /// `value` of `unit`.
    package init(_ value: Double, _ unit: Unit) {
        self.value = value
        self.unit = unit
    }
}

/// The units of one dimension; the raw value is the symbol on the wire.
package protocol MeasurementUnit: RawRepresentable<String>, CaseIterable, Sendable, Equatable {}

/// Units of depth.
package enum LengthUnit: String, MeasurementUnit {
    /// Metres.
    case meters = "m"
    /// International feet.
    case feet = "ft"
}

/// Units of pressure.
package enum PressureUnit: String, MeasurementUnit {
    /// Pascals.
    case pascals = "Pa"
    /// Hectopascals.
    case hectopascals = "hPa"
    /// Millibars, another name of hectopascals.
    case millibars = "mbar"
    /// Kilopascals.
    case kilopascals = "kPa"
    /// Bars.
    case bars = "bar"
    /// Pounds-force per square inch.
    case poundsPerSquareInch = "psi"
}

/// Units of temperature.
package enum TemperatureUnit: String, MeasurementUnit {
    /// Degrees Celsius.
    case celsius = "C"
    /// Degrees Fahrenheit.
    case fahrenheit = "F"
    /// Kelvins.
    case kelvin = "K"
}
