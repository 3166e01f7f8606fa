/// The true values of one simulated swing, to compare a detector with.
package struct SwingTruth: Sendable, Hashable {
    /// The start of the rotation, unix seconds.
    package let start: Double

    /// The start of the rotation, seconds of device time.
    package let startUptime: Double

    /// The impact, unix seconds; nil for a miss.
    package let impact: Double?

    /// The impact, seconds of device time; nil for a miss.
    package let impactUptime: Double?

    /// The swing, with its times counted from the device's start.
    package let swing: Swing

    init(_ swing: Swing, origin: DeviceOrigin) {
        start = origin.unix(after: swing.start)
        startUptime = origin.uptime(after: swing.start)
        impact = swing.impact.map(origin.unix(after:))
        impactUptime = swing.impact.map(origin.uptime(after:))
        self.swing = swing
    }
}
