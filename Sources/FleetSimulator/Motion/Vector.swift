/// Three numbers along the axes of a device.
typealias Vector = SIMD3<Double>

extension Vector {
    var length: Double { (x * x + y * y + z * z).squareRoot() }
}
