extension Fleet {
    /// The fleet of `fathom demo`: 40 s of activity, repeated if `duration` (seconds) is longer.
    ///
    /// `pods-1` is handed from ear to ear, taken out and put back; `batter-1`, at tennis, hits three balls and misses two; `ultra-1`,
    /// entitled to 6 m, dives to 7; `watch-1` dives without an entitlement; `runner-1` runs, stands and runs.
    package static func demo(startingAt start: Double, duration: Double = 40) -> Fleet {
        func origin(_ device: String, after delay: Double, uptime: Double, seed: UInt64) -> DeviceOrigin {
            DeviceOrigin(
                device: device, unix: start + delay, uptime: uptime, seed: seed,
                duration: Swift.max(0, duration - delay))
        }
        var pods = HeadphoneOptions.demo
        pods.cycle = demoSeconds
        var diver = DiverOptions.shallow
        diver.profile.cycle = demoSeconds
        var watch = DiverOptions.unentitled
        watch.profile = DepthProfile(
            [DepthProfile.Point(4, 0), .init(6, 1.5), .init(20, 2.5), .init(24, 0)], cycle: demoSeconds)

        return Fleet([
            Headphones(origin("pods-1", after: 0, uptime: 86_412.5, seed: 7), options: pods),
            Batter(
                origin("batter-1", after: 0.2, uptime: 5_321.25, seed: 1),
                options: BatterOptions(
                    swings: .listed(demoSwings, repeatsEvery: demoSeconds), waves: [ArmWave(start: 1)], activity: "tennis")
            ),
            Diver(origin("ultra-1", after: 0.4, uptime: 17_205.75, seed: 1001), options: diver),
            Diver(origin("watch-1", after: 0.6, uptime: 240_118, seed: 2), options: watch),
            Runner(origin("runner-1", after: 0.8, uptime: 33_020.5, seed: 5)),
        ])
    }

    private static let demoSeconds = 40.0

    private static let demoSwings = [
        Swing(start: 5.6, timeToContact: 0.24, peakRotationRate: 17, impactAcceleration: 28),
        Swing(start: 12.3, timeToContact: 0.2, peakRotationRate: 18.5),
        Swing(start: 18.4, timeToContact: 0.21, peakRotationRate: 19, impactAcceleration: 34),
        Swing(start: 25.1, timeToContact: 0.27, peakRotationRate: 14),
        Swing(start: 32.7, timeToContact: 0.25, peakRotationRate: 16, impactAcceleration: 21),
    ]
}

extension HeadphoneOptions {
    /// Handed from the left ear to the right, taken out, put back, handed to the left again: 34 s.
    package static let demo = HeadphoneOptions(cues: [
        HeadphoneCue(after: 8, .handOver(to: .right)),
        HeadphoneCue(after: 15, .takeOut),
        HeadphoneCue(after: 21, .putBack),
        HeadphoneCue(after: 34, .handOver(to: .left)),
    ])
}
