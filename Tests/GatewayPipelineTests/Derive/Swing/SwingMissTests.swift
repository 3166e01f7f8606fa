import Foundation
import TelemetryModel
import Testing

@testable import GatewayPipeline

@Suite("A miss")
struct SwingMissTests {
    @Test("is a swing without an impact, dated by its rotation peak", arguments: [10.0, -10])
    func miss(peakRate: Double) throws {
        for phase in 0..<20 {
            let swing = SyntheticSwing(onset: 2 + Double(phase) / 20, peakRate: peakRate)
            let events = derive(BatchedIMU.recording([swing], to: 5).cut(at: [1, 2, 3, 4]))
            let event = try #require(events.only)
            let miss = try #require(events.swings.only)
            #expect(!miss.contact && miss.timeToContact == nil)
            #expect(abs(event.time.seconds - swing.onset - 0.25) < 0.006)
            #expect(abs(miss.startAt.seconds - swing.start) < 0.002)
            #expect(abs(miss.accumulatedRotation - abs(swing.rotation(to: swing.onset + 0.5))) < 0.05)
            #expect(miss.coverage == 1)
            #expect((1...6).contains(try #require(miss.peakAcceleration)))
            #expect(event.span?.lowerBound == miss.startAt)
        }
    }

    @Test("is not published of arm waving: too slow, too little, too much, or back and forth")
    func waving() {
        let slow = strokes(20, every: 0.5, duration: 0.5, peakRate: 7.9, alternating: true)
        let little = strokes(20, every: 0.3, duration: 0.1, peakRate: 9, alternating: false)
        let much = strokes(1, every: 1, duration: 2, peakRate: 9, alternating: false)
        let forth = strokes(8, every: 0.4, duration: 0.4, peakRate: 14, alternating: true)
        for waving in [slow, little, much, forth] {
            #expect(derive([.recording(waving, to: 13)], firingUntil: 20).isEmpty)
        }
    }

    private func strokes(
        _ count: Int, every interval: Double, duration: Double, peakRate: Double, alternating: Bool
    ) -> [SyntheticSwing] {
        (0..<count).map { index in
            let sense = alternating && !index.isMultiple(of: 2) ? -1.0 : 1
            return SyntheticSwing(onset: 1 + Double(index) * interval, duration: duration, peakRate: sense * peakRate)
        }
    }

    @Test("is not published where the accelerometer has a gap", arguments: [0.02, 0.1, 0.3, 1.5])
    func accelerometerGap(length: Double) {
        for begin in [1.3, 1.4, 1.75] {
            let whole = BatchedIMU.recording([SyntheticSwing(onset: 1.2, duration: 0.6)], to: 6)
            let torn = whole.removing(begin..<begin + length, accelerometer: true)
            #expect(derive([torn], firingUntil: 20).isEmpty)
        }
        let outside = BatchedIMU.recording([SyntheticSwing(onset: 1.2, duration: 0.6)], to: 6)
            .removing(3..<3 + length, accelerometer: true)
        #expect(derive([outside]).swings.map(\.contact) == [false])
    }

    @Test("is not published where the rotation has a gap, which may contain the start or end of the swing")
    func motionGap() {
        for begin in [1.1, 1.3, 1.5, 1.7] {
            let whole = BatchedIMU.recording([SyntheticSwing(onset: 1.2, duration: 0.6)], to: 6)
            #expect(derive([whole.removing(begin..<begin + 0.12, accelerometer: false)], firingUntil: 20).isEmpty)
        }
    }

    @Test("is not published without the accelerometer")
    func motionAlone() {
        let motion = BatchedIMU.recording([SyntheticSwing(onset: 1.2)], to: 6).motionOnly
        #expect(derive([motion], firingUntil: 20).isEmpty)
    }

    @Test("is not published when an impact was replaced by a greater one just after the swing")
    func supersededBlow() {
        let swing = SyntheticSwing(onset: 1, duration: 0.4, impact: 1.3, impactG: 20)
        let knock = SyntheticSwing(onset: 1, peakRate: 1e-9, impact: 1.5, impactG: 40)
        let events = derive([.recording([swing, knock], to: 6)], firingUntil: 20)
        #expect(events.impacts.count == 1)
        #expect(events.swings.isEmpty)
    }
}

extension BatchedIMU {
    /// Without the samples of one half in `gap`, as one batch.
    func removing(_ gap: Range<Double>, accelerometer: Bool) -> BatchedIMU {
        func kept(_ times: [Double]) -> [Int] { times.indices.filter { !gap.contains(times[$0]) } }
        var copy = self
        if accelerometer, let samples = self.accelerometer {
            let indices = kept(samples.timestamp)
            copy.accelerometer = AccelerometerSamples(
                timestamp: indices.map { samples.timestamp[$0] }, acceleration: samples.acceleration.picking(indices))
        }
        if !accelerometer, let samples = deviceMotion {
            let indices = kept(samples.timestamp)
            copy.deviceMotion?.timestamp = indices.map { samples.timestamp[$0] }
            copy.deviceMotion?.rotationRate = samples.rotationRate.picking(indices)
            copy.deviceMotion?.gravity = samples.gravity.picking(indices)
        }
        return copy
    }
}

extension VectorColumns {
    fileprivate func picking(_ indices: [Int]) -> VectorColumns {
        VectorColumns(x: indices.map { x[$0] }, y: indices.map { y[$0] }, z: indices.map { z[$0] })
    }
}
