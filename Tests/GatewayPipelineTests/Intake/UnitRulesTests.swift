import GatewayPipeline
import TelemetryModel
import Testing

@Suite("Unit rules")
struct UnitRulesTests {
    private func isClose(_ value: Double, _ expected: Double) -> Bool { abs(value - expected) <= 1e-12 * abs(expected) }

    @Test(arguments: [(LengthUnit.meters, 3.2, 3.2), (.feet, 10, 3.048), (.feet, -1, -0.3048)])
    func `Depths become metres`(unit: LengthUnit, value: Double, meters: Double) {
        #expect(isClose(Quantity(value, unit).meters, meters))
    }

    @Test(arguments: [
        (PressureUnit.pascals, 101_325, 101.325), (.hectopascals, 1013.25, 101.325), (.millibars, 1013.25, 101.325),
        (.kilopascals, 101.325, 101.325), (.bars, 1.01325, 101.325), (.poundsPerSquareInch, 1, 6.894757293168361),
        (.poundsPerSquareInch, 14.695948775513449, 101.325),
    ])
    func `Pressures become kilopascals`(unit: PressureUnit, value: Double, kilopascals: Double) {
        #expect(isClose(Quantity(value, unit).kilopascals, kilopascals))
    }

    @Test(arguments: [
        (TemperatureUnit.celsius, 21.5, 21.5), (.fahrenheit, 32, 0), (.fahrenheit, 212, 100), (.fahrenheit, -40, -40),
        (.kelvin, 273.15, 0), (.kelvin, 373.15, 100),
    ])
    func `Temperatures become degrees Celsius`(unit: TemperatureUnit, value: Double, celsius: Double) {
        #expect(abs(Quantity(value, unit).celsius - celsius) < 1e-12)
    }

    @Test(arguments: [(TemperatureUnit.celsius, 0.5, 0.5), (.kelvin, 0.5, 0.5), (.fahrenheit, 0.9, 0.5)])
    func `An uncertainty is converted by scale alone`(unit: TemperatureUnit, value: Double, celsius: Double) {
        #expect(isClose(Quantity(value, unit).celsiusDifference, celsius))
    }

    @Test func `Minus zero becomes zero in every unit`() {
        #expect(LengthUnit.allCases.allSatisfy { Quantity(-0.0, $0).meters.sign == .plus })
        #expect(PressureUnit.allCases.allSatisfy { Quantity(-0.0, $0).kilopascals.sign == .plus })
        #expect(TemperatureUnit.allCases.allSatisfy { Quantity(-0.0, $0).celsiusDifference.sign == .plus })
        #expect(Quantity(-0.0, TemperatureUnit.celsius).celsius.sign == .plus)
    }
}
