import SignalProcessing
import TelemetryModel

/// The latest samples of the acceleration without gravity, from which a punch is measured.
struct PunchSamples: Sendable, Equatable, Codable {
    /// 1.2 s: the time before an impact, the refractory time and the recoil.
    private static let seconds = 1.2
    /// The most samples that are kept: 1.2 s at 800 Hz, and some.
    private static let capacity = 1_200
    /// 1/500 G, up to 65 G.
    private static let scale = 1.0 / 500

    private var times: [Double] = []
    private var values = QuantizedSeries(scales: [scale, scale, scale])

    /// The time of the newest sample in s.
    var newest: Double? { times.last }

    /// Adds a sample that is later than those before.
    mutating func append(time: Double, _ value: SIMD3<Double>) {
        times.append(time)
        values.append(value)
        guard times.count % 64 == 0 else { return }
        let first = times.firstIndex { $0 >= time - Self.seconds } ?? 0
        times.removeFirst(max(first, times.count - Self.capacity))
        values.keep(times.count)
    }

    /// Drops the samples before an instant, with the room that they took.
    mutating func keep(from time: Double) {
        times = Array(times[(times.firstIndex { $0 >= time } ?? times.count)...])
        values.shrink(to: times.count)
    }

    /// Drops every sample.
    mutating func removeAll() {
        times.removeAll(keepingCapacity: true)
        values.removeAll()
    }

    /// The punch whose greatest sample is at `impact`.
    func punch(at impact: SignalPeak, count: Int, _ settings: PunchSettings) -> Punch {
        let rows = values.vectors(0)
        let place = times.lastIndex { $0 <= impact.time } ?? 0
        let vector = rows.indices.contains(place) ? rows[place] : .zero
        let components = [abs(vector.x), abs(vector.y), abs(vector.z)]
        let axis = components.indices.max { components[$0] < components[$1] } ?? 0
        let signal = rows.map { $0[axis] * (vector[axis] < 0 ? -1 : 1) }
        let after = times.indices.filter { times[$0] > impact.time && times[$0] <= impact.time + settings.recoilSeconds }
        let recoil = after.max { -signal[$0] < -signal[$1] }.flatMap { signal[$0] < 0 ? $0 : nil }
        let near = times.indices.count {
            abs(times[$0] - impact.time) < 0.1 && (rows[$0] * rows[$0]).sum().squareRoot() >= 0.98 * impact.value
        }
        return Punch(
            impactAt: DeviceTime(impact.time), peakAcceleration: impact.value,
            direction: [.x, .y, .z][axis], speedBefore: speed(of: signal, before: impact.time, settings.speedSeconds),
            recoil: recoil.map { -signal[$0] }, recoilTime: recoil.map { times[$0] - impact.time }, count: count,
            hand: settings.hand, sampleRate: sampleRate, clipped: near >= 3)
    }

    /// The integral up to the impact in m/s, without its sign; nil where samples are missing.
    private func speed(of signal: [Double], before impact: Double, _ seconds: Double) -> Double? {
        var sum = 0.0
        guard let first = times.firstIndex(where: { $0 >= impact - seconds }), times[first] < impact,
            times[first] - (impact - seconds) <= 0.05
        else { return nil }
        var index = first
        while index + 1 < times.count, times[index + 1] <= impact {
            let step = times[index + 1] - times[index]
            guard step <= 0.05 else { return nil }
            sum += (signal[index] + signal[index + 1]) / 2 * step
            index += 1
        }
        return abs(sum) * 9.80665
    }

    /// The rate of the samples in Hz; 0 for fewer than two.
    var hertz: Double {
        guard let first = times.first, let last = times.last, last > first else { return 0 }
        return Double(times.count - 1) / (last - first)
    }

    private var sampleRate: Int {
        let hertz = max(hertz, 1)
        return [25, 50, 100, 200, 800].min { abs(Double($0) / hertz - 1) < abs(Double($1) / hertz - 1) } ?? 25
    }
}
