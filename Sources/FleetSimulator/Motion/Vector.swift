import Glibc

/// Three numbers along the axes of a device.
struct Vector: Sendable, Hashable {
    var x = 0.0
    var y = 0.0
    var z = 0.0

    var length: Double { sqrt(x * x + y * y + z * z) }

    static func + (left: Vector, right: Vector) -> Vector {
        Vector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
    }

    static func * (vector: Vector, factor: Double) -> Vector {
        Vector(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
    }
}
