/// How values are written. Times are always written to the microsecond, the contract's resolution; what a pedometer and an
/// altimeter report, to a fixed number of decimals beyond the sensors' resolution.
public struct FrameEncoding: Sendable, Hashable {
    /// Decimals of the components of an attitude.
    public let attitude: Int
    /// Decimals of rotation rates in rad/s.
    public let rotationRate: Int
    /// Decimals of accelerations in G.
    public let acceleration: Int
    /// Decimals of the components of gravity in G.
    public let gravity: Int
    /// Decimals of magnetic fields in microtesla.
    public let magneticField: Int
    /// Decimals of headings in degrees.
    public let heading: Int
    /// Decimals of depths in m and temperatures in C.
    public let depth: Int
    /// Decimals of pressures in kPa.
    public let pressure: Int

    /// JSON with as many decimals as the sensors resolve: 1e-6 of an attitude, 1e-4 rad/s, 1e-5 G, 0.01 microtesla, 0.01 m, 1 Pa.
    public static let json = FrameEncoding(
        attitude: 6, rotationRate: 4, acceleration: 5, gravity: 6, magneticField: 2, heading: 2, depth: 2, pressure: 3)

    /// JSON with one number of decimals for all values, 0 to 9; another number is moved into this range.
    public static func json(digits: Int) -> FrameEncoding {
        let digits = min(max(digits, 0), 9)
        return FrameEncoding(
            attitude: digits, rotationRate: digits, acceleration: digits, gravity: digits, magneticField: digits,
            heading: digits, depth: digits, pressure: digits)
    }

    /// Decimals of times in seconds.
    static let time = 6
}
