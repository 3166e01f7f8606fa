import Glibc

/// An Apple Watch that goes under water: `submersion` events, three measurements and temperatures a second there, and
/// a measurement every four seconds at the surface.
package struct Diver: ScriptedDevice {
    var outbox: Outbox

    private let options: DiverOptions
    private let chance: Chance
    private var tick = 0
    private var submergedSince: Double?
    private var frame: SubmersionFrame

    private static let interval = 1.0 / 3
    private static let ticksAtSurface = 12
    /// The depth at which the water sensor switches, m.
    private static let wetDepth = 0.05

    /// Creates a diver; the first frame reports the state at the start, as Core Motion does.
    package init(_ origin: DeviceOrigin, options: DiverOptions = DiverOptions()) {
        self.options = options
        chance = Chance(seed: origin.seed)
        frame = SubmersionFrame(reportsState: options.reportsState)
        outbox = Outbox(
            origin: origin,
            profile: DeviceProfile(
                model: "Watch6,18", os: "watchOS 10.4",
                available: ["deviceMotion", "waterSubmersion", "accelerometerBatch", "deviceMotionBatch"],
                entitlements: options.entitlements, wrist: "left")
        )
    }

    mutating func advance() {
        let elapsed = Double(tick) * Self.interval + chance.uniform(.jitter, tick, in: 0.05...0.07)
        let depth = options.profile.depth(after: elapsed)
        let isWet = depth > Self.wetDepth
        if tick == 0 || isWet != (submergedSince != nil) {
            submergedSince = isWet ? elapsed : nil
            frame.event = SubmersionFrame.Event(seconds: origin.uptime(after: elapsed), isSubmerged: isWet)
            frame.maximumDepth = options.entitlements.isEmpty ? nil : options.maximumDepth
        }
        if isWet || tick.isMultiple(of: Self.ticksAtSurface) { measure(depth, after: elapsed) }
        if frame.event != nil || frame.measurements.count >= options.measurementsPerFrame || !isWet {
            sendFrame(after: elapsed + 0.02)
        }
        outbox.complete(through: elapsed)
        tick += 1
    }

    private mutating func measure(_ depth: Double, after elapsed: Double) {
        let seconds = origin.uptime(after: elapsed)
        let noise = chance.uniform(.depth, tick, in: -0.02...0.02)
        frame.measurements.append(
            DepthReading(
                seconds: seconds,
                depth: submergedSince == nil ? nil : depth + noise,
                maximumDepth: options.maximumDepth
            ))
        guard let submergedSince else { return }
        // The sensor starts as warm as the wrist and settles within seconds.
        let settling = exp(-(elapsed - submergedSince) / 1.6)
        frame.temperatures.append(
            TemperatureReading(
                seconds: seconds,
                temperature: options.waterTemperature + 4 * settling
                    + chance.uniform(.temperature, tick, in: -0.03...0.03),
                uncertainty: 0.2 + 2.8 * settling
            ))
    }

    private mutating func sendFrame(after elapsed: Double) {
        defer { frame.clear() }
        guard !frame.isEmpty, !options.silences.contains(where: { $0.contains(elapsed) }) else { return }
        outbox.send(.submersion, after: elapsed, body: frame.write)
    }
}
