import Metrics
import Testing

@Suite("Histograms")
struct HistogramTests {
    @Test("A value that is not finite is left out, a negative one is 0, a huge one is in the last bucket")
    func extremes() {
        var values = Histogram(bounds: [1, 2])
        values.observe(.nan)
        values.observe(.infinity)
        values.observe(1, count: 0)
        #expect(values == Histogram(bounds: [1, 2]))
        values.observe(-5)
        values.observe(1e300)
        #expect(values.counts == [1, 0, 1])
        #expect(values.sum == 1e300)
    }

    @Test("Two histograms are added bucket by bucket")
    func sum() {
        var left = Histogram(bounds: [1])
        var right = left
        left.observe(0.5)
        right.observe(0.25)
        right.observe(3)
        #expect((left + right).counts == [2, 1])
        #expect((left + right).sum == 3.75)
    }
}
