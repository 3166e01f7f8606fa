import Metrics
import Testing

@Suite("Prometheus' text format")
struct MetricsTextTests {
    @Test("Help, type and samples stand in the format's order; whole numbers have no fraction")
    func samples() {
        var text = MetricsText()
        text.counter("a_total", "All of them.", [.init(3), .init(0.25, ("lane", "safety"), ("state", "x"))])
        text.gauge("b", "Now.", [.init(.infinity), .init(-.infinity), .init(.nan), .init(-7)])
        #expect(
            text.text == """
                # HELP a_total All of them.
                # TYPE a_total counter
                a_total 3
                a_total{lane="safety",state="x"} 0.25
                # HELP b Now.
                # TYPE b gauge
                b +Inf
                b -Inf
                b NaN
                b -7

                """)
    }

    @Test("Backslashes, quotes and line feeds are escaped")
    func escapes() {
        var text = MetricsText()
        text.gauge("a", "one\\two\n\"three\"", [.init(1, ("label", "a\\b\"c\nd"))])
        #expect(
            text.text == """
                # HELP a one\\\\two\\n"three"
                # TYPE a gauge
                a{label="a\\\\b\\"c\\nd"} 1

                """)
    }

    @Test("A metric without samples is left out")
    func empty() {
        var text = MetricsText()
        text.counter("a_total", "None.", [])
        text.histogram("b", "None.", by: "lane", [])
        #expect(text.text.isEmpty)
    }

    @Test("Buckets of a histogram are cumulative and end with +Inf, sum and count")
    func histogram() {
        var values = Histogram(bounds: [0.5, 1])
        values.observe(0.5)
        values.observe(0.75, count: 3)
        values.observe(4)
        var text = MetricsText()
        text.histogram("a_seconds", "Times.", by: "lane", [("bulk", values)])
        #expect(
            text.text == """
                # HELP a_seconds Times.
                # TYPE a_seconds histogram
                a_seconds_bucket{lane="bulk",le="0.5"} 1
                a_seconds_bucket{lane="bulk",le="1"} 4
                a_seconds_bucket{lane="bulk",le="+Inf"} 5
                a_seconds_sum{lane="bulk"} 6.75
                a_seconds_count{lane="bulk"} 5

                """)
    }
}
