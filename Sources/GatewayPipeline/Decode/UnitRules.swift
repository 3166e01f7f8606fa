extension Quantity<LengthUnit> {
    /// The length in m; never -0.
    package var meters: Double {
        switch unit {
        case .meters: value + 0
        case .feet: value * 0.3048 + 0
        }
    }
}

extension Quantity<PressureUnit> {
    /// The pressure in kPa; never -0. Infinite where the conversion overflows.
    package var kilopascals: Double {
        switch unit {
        case .pascals: value / 1000 + 0
        case .hectopascals, .millibars: value / 10 + 0
        case .kilopascals: value + 0
        case .bars: value * 100 + 0
        case .poundsPerSquareInch: value * 6.894_757_293_168_361 + 0
        }
    }
}

extension Quantity<TemperatureUnit> {
    /// The point on the scale in degrees Celsius; never -0.
    package var celsius: Double {
        switch unit {
        case .celsius: value + 0
        case .fahrenheit: (value - 32) / 1.8 + 0
        case .kelvin: value - 273.15 + 0
        }
    }

    /// The difference in degrees Celsius, by scale alone; never -0.
    ///
    /// Core Motion types an uncertainty as `UnitTemperature`, whose own conversion would add the scale's offset to it.
    package var celsiusDifference: Double {
        switch unit {
        case .celsius, .kelvin: value + 0
        case .fahrenheit: value / 1.8 + 0
        }
    }
}
