import Glibc
import WearableFrames

/// An Apple Watch that goes under water: `submersion` events, three measurements and temperatures a second there, and
/// a measurement every four seconds at the surface.
package struct Diver: ScriptedDevice {
    var schedule: Schedule

    private let options: DiverOptions
    private let chance: Chance
    private var tick = 0
    private var submergedSince: Double?
    private var readings = SubmersionReadings()

    private static let interval = 1.0 / 3
    private static let ticksAtSurface = 12
    /// The depth at which the water sensor switches, m.
    private static let wetDepth = 0.05

    /// Creates a diver; the first frame reports the state at the start, as Core Motion does.
    package init(_ origin: DeviceOrigin, options: DiverOptions = DiverOptions()) {
        self.options = options
        chance = Chance(seed: origin.seed)
        schedule = Schedule(
            origin: origin,
            status: .online(
                model: "Watch6,18", os: "watchOS 10.4",
                available: [.deviceMotion, .waterSubmersion, .accelerometerBatch, .deviceMotionBatch],
                entitlements: options.entitlements, wrist: .left)
        )
    }

    mutating func advance() {
        let elapsed = Double(tick) * Self.interval + chance.uniform(.jitter, tick, in: 0.05...0.07)
        let depth = options.profile.depth(after: elapsed)
        let isWet = depth > Self.wetDepth
        if tick == 0 || isWet != (submergedSince != nil) {
            submergedSince = isWet ? elapsed : nil
            readings.events = [
                SubmersionReadings.Event(
                    time: .timestamp(origin.uptime(after: elapsed)), state: isWet ? .submerged : .notSubmerged)
            ]
            readings.maximumDepth = options.entitlements.isEmpty ? nil : options.maximumDepth
        }
        if isWet || tick.isMultiple(of: Self.ticksAtSurface) { measure(depth, after: elapsed) }
        if !readings.events.isEmpty || readings.measurements.count >= options.measurementsPerFrame || !isWet {
            sendReadings(after: elapsed + 0.02)
        }
        schedule.complete(through: elapsed)
        tick += 1
    }

    private mutating func measure(_ depth: Double, after elapsed: Double) {
        let seconds = origin.uptime(after: elapsed)
        let noise = chance.uniform(.depth, tick, in: -0.02...0.02)
        readings.measurements.append(
            .simulated(
                at: seconds, depth: submergedSince == nil ? nil : depth + noise, maximumDepth: options.maximumDepth,
                reportsState: options.reportsState))
        guard let submergedSince else { return }
        // The sensor starts as warm as the wrist and settles within seconds.
        let settling = exp(-(elapsed - submergedSince) / 1.6)
        readings.temperatures.append(
            SubmersionReadings.Temperature(
                time: .timestamp(seconds),
                temperature: options.waterTemperature + 4 * settling
                    + chance.uniform(.temperature, tick, in: -0.03...0.03),
                uncertainty: 0.2 + 2.8 * settling
            ))
    }

    private mutating func sendReadings(after elapsed: Double) {
        let sent = readings
        readings = SubmersionReadings()
        guard !sent.isEmpty, !options.silences.contains(where: { $0.contains(elapsed) }) else { return }
        schedule.send(after: elapsed) { builder, instant throws(FrameError) in try builder.submersion(sent, at: instant) }
    }
}
