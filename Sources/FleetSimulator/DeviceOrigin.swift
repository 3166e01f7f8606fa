/// The start of one simulated device: its id, its two clocks and its seed.
package struct DeviceOrigin: Sendable, Hashable {
    /// The id in the device's topics; the contract allows `[A-Za-z0-9_-]{1,64}`.
    package var device: String

    /// The wall clock at the device's first message, unix seconds.
    package var unix: Double

    /// The monotonic clock at the same instant, seconds since the device's boot.
    package var uptime: Double

    /// The seed of the device's random numbers: the same seed gives the same bytes.
    package var seed: UInt64

    /// Seconds until the device publishes `offline`; nil for never.
    package var duration: Double?

    /// The run of the program: 0 where the same seed is to give the same boot, else a number that no other run has. Two runs that
    /// reach one gateway are two boots, whose `seq` begins at 0 each time.
    package var run: UInt64

    /// The sensors of a device that sends raw motion; nil for one that fuses it.
    package var rawSensors: RawSensors?

    /// Creates an origin; `uptime` is kept to whole microseconds, the resolution of frames.
    package init(
        device: String, unix: Double, uptime: Double, seed: UInt64, duration: Double? = nil, run: UInt64 = 0,
        rawSensors: RawSensors? = nil
    ) {
        self.device = device
        self.unix = unix
        self.uptime = (uptime * 1e6).rounded() / 1e6
        self.seed = seed
        self.duration = duration
        self.run = run
        self.rawSensors = rawSensors
    }

    /// The id of this boot: eight hexadecimal digits that follow from the seed and the run.
    package var boot: String {
        let digits = String(Chance(seed: seed &+ run).bits(.boot, 0) & 0xFFFF_FFFF, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The device time of an instant given in seconds since the device's start.
    package func uptime(after elapsed: Double) -> Double { uptime + elapsed }

    /// The unix time of an instant given in seconds since the device's start.
    package func unix(after elapsed: Double) -> Double { unix + elapsed }
}
