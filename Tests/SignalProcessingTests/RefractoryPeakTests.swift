import SignalProcessing
import Testing

@Suite("The greatest within a refractory time")
struct RefractoryPeakTests {
    private func picks(_ samples: [(Double, Double?)], flushing: Bool = true) -> [Double] {
        var picker = RefractoryPeak()
        var picks = samples.compactMap { picker.step(time: $0.0, qualifying: $0.1, refractory: 0.3)?.time }
        if flushing, let last = picker.flush() { picks.append(last.time) }
        return picks
    }

    @Test("takes the place of a smaller one before it and holds off a smaller one after it")
    func greatest() {
        #expect(picks([(0, 1), (0.1, 3), (0.2, 2)]) == [0.1])
        #expect(picks([(0, 1), (0.3, 1)]) == [0, 0.3])
        #expect(picks([(0, 2), (0.1, 2)]) == [0])
    }

    @Test("comes out with the first sample the refractory time after it, whatever that sample is")
    func finality() {
        #expect(picks([(0, 1), (0.29, nil)], flushing: false).isEmpty)
        #expect(picks([(0, 1), (0.29, nil), (0.3, nil)], flushing: false) == [0])
        #expect(picks([(0, .nan), (1, nil)], flushing: false).isEmpty)
    }

    @Test("holds off what comes within the refractory time even when it was flushed")
    func flushed() {
        var picker = RefractoryPeak()
        _ = picker.step(time: 1, qualifying: 5, refractory: 0.3)
        let first = picker.flush()
        let second = picker.flush()
        #expect(first?.time == 1 && second == nil)
        #expect(picker.step(time: 1.2, qualifying: 9, refractory: 0.3) == nil)
        #expect(picker.pending == nil)
        _ = picker.step(time: 1.31, qualifying: 6, refractory: 0.3)
        #expect(picker.pending?.value == 6)
    }
}
