@testable import Mosquitto
import Testing

@Suite("Load of a thread")
struct ThreadLoadTests {
    /// Whether the thread is busy after each second, in which it used so many milliseconds.
    private func busy(_ used: [Int64], limit: Double = 0.25) -> [Bool] {
        var load = ThreadLoad(limit: limit)
        var (now, sum) = (MonotonicInstant.now, Int64(0))
        load.note(at: now, used: sum)
        return used.map { milliseconds in
            // What is noted within a second ends no period.
            load.note(at: now + .milliseconds(500), used: Int64.max)
            now = now + .seconds(1)
            sum += milliseconds * 1_000_000
            load.note(at: now, used: sum)
            return load.isBusy
        }
    }

    @Test("It is busy from a quarter of a processor on, and until an eighth")
    func limits() {
        #expect(
            busy([0, 249, 250, 200, 125, 124, 200, 249, 900]) == [false, false, true, true, true, false, false, false, true])
    }

    @Test("With a limit of 0 it always is")
    func always() {
        #expect(busy([0, 0], limit: 0) == [true, true])
        #expect(ThreadLoad(limit: 0).isBusy)
    }

    @Test("A pause of an hour counts as idle, and a clock that stands as nothing")
    func pause() {
        var load = ThreadLoad(limit: 0.25)
        let now = MonotonicInstant.now
        load.note(at: now, used: 0)
        load.note(at: now + .seconds(1), used: 900_000_000)
        #expect(load.isBusy)
        load.note(at: now + .seconds(1), used: 2_000_000_000)
        load.note(at: now + .seconds(3_601), used: 2_000_000_000)
        #expect(!load.isBusy)
    }
}
