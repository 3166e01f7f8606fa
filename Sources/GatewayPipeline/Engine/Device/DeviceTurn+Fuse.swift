import TelemetryModel

/// Raw motion becomes device motion, before anything is derived from it.
extension DeviceTurn {
    /// Fuses the motion of `frame` where it is raw. The fusion of a stream ends with motion that the device has fused.
    func fuse(_ frame: inout NormalizedFrame) {
        guard let isRaw = frame.body.isRawMotion else { return }
        let stream = frame.stream
        guard isRaw else {
            if slot.state.boot.isFused(stream) { slot.state.boot.fusions.streams[stream] = nil }
            return
        }
        guard let samples = frame.body.motion, let raw = samples.raw else { return }
        var fusion = slot.state.boot.fusions.streams.removeValue(forKey: stream) ?? MotionFusion(usesMagnetometer: false)
        // A frame without a magnetic field, among others with one, leaves the heading to the gyroscope.
        let usesMagnetometer = settings.fusesMagneticField && (raw.magneticField != nil || fusion.usesMagnetometer)
        if fusion.usesMagnetometer != usesMagnetometer { fusion = MotionFusion(usesMagnetometer: usesMagnetometer) }
        let (finding, restarts, unusable, limited) = (fusion.finding, fusion.disagreements, fusion.unusable, fusion.limited)
        frame.body.motion = fusion.fuse(samples, raw)
        if owns(stream) {
            context.counters.samplesAtLimit.addSaturated(fusion.limited - limited)
            context.counters.unusableSamples.addSaturated(fusion.unusable - unusable)
            context.counters.fusionRestarts.addSaturated(fusion.disagreements - restarts)
        }
        let hasNews = fusion.finding != finding
        slot.state.boot.fusions.streams[stream] = fusion
        if hasNews, owns(stream) { publishConvention(of: stream) }
    }
}
