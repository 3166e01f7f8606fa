import Testing

@testable import Mosquitto

@Suite
struct ConnectionLifecycleTests {
    private let start = MonotonicInstant.now
    private let failure = MosquittoError(origin: .client, reason: "test")

    /// A generator whose doubles are as large as they can be, so that waits are as long as they can be.
    private struct Largest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    /// A lifecycle with the clock and the randomness of a test.
    private struct Driver {
        var lifecycle: ConnectionLifecycle
        var now: MonotonicInstant
        var generator = Largest()

        mutating func send(_ event: ConnectionLifecycle.Event, after seconds: Double = 0) -> [ConnectionLifecycle.Action] {
            now = now + .seconds(seconds)
            return lifecycle.handle(event, at: now, using: &generator)
        }

        var wait: Double { lifecycle.nextDeadline.map { ($0 - now) / .seconds(1) } ?? -1 }
    }

    private func driver(_ filters: String...) -> Driver {
        var configuration = MosquittoConfiguration(brokers: BrokerList(host: "broker"), clientID: "gateway")
        configuration.subscriptions = filters.map { .init($0) }
        return Driver(lifecycle: ConnectionLifecycle(configuration: configuration, startingAt: start), now: start)
    }

    private func connected(_ filters: String..., sessionPresent: Bool = false) -> Driver {
        var driver = driver()
        if !filters.isEmpty { driver = self.driver(filters[0]) }
        _ = driver.send(.tick)
        _ = driver.send(.accepted(sessionPresent: sessionPresent))
        _ = driver.send(.subscribed)
        return driver
    }

    @Test("It connects at once, and is connected without subscriptions at CONNACK")
    func connects() {
        var driver = driver()
        #expect(driver.send(.tick) == [.announce(.connecting), .connect])
        #expect(driver.send(.tick) == [])
        #expect(driver.send(.accepted(sessionPresent: true)) == [.announce(.connected(sessionPresent: true))])
        #expect(driver.lifecycle.isReady)
        #expect(driver.lifecycle.nextDeadline == nil)
    }

    @Test("It subscribes in a new process even to a kept session, and is connected at the last SUBACK")
    func subscribes() {
        var driver = driver("in/#")
        _ = driver.send(.tick)
        #expect(driver.send(.accepted(sessionPresent: true)) == [.subscribe(sessionPresent: true)])
        #expect(!driver.lifecycle.isReady)
        #expect(driver.send(.subscribed) == [.announce(.connected(sessionPresent: true))])
    }

    @Test("It subscribes again only when the session is gone", arguments: [true, false])
    func subscribesAgain(isPresent: Bool) {
        var driver = connected("in/#")
        #expect(driver.send(.ended(.lost(failure))) == [.close, .announce(.disconnected(.lost(failure)))])
        #expect(driver.send(.tick, after: 1) == [.announce(.connecting), .connect])
        #expect((driver.send(.accepted(sessionPresent: isPresent)) == [.subscribe(sessionPresent: false)]) == !isPresent)
        #expect(driver.lifecycle.isReady == isPresent)
    }

    @Test("The wait doubles with each failure up to the maximum")
    func backOff() {
        var driver = driver()
        var waits: [Double] = []
        for _ in 0..<10 {
            _ = driver.send(.tick, after: max(0, driver.wait))
            _ = driver.send(.ended(.refused(failure)))
            waits.append((driver.wait * 10).rounded() / 10)
        }
        #expect(waits == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30])
    }

    @Test("Only a connection that lasted makes the wait short again", arguments: [(1.9, 0.8), (2.0, 0.2)])
    func stableConnection(lasted: Double, expected: Double) {
        var driver = driver()
        for _ in 0..<2 {
            _ = driver.send(.tick, after: max(0, driver.wait))
            _ = driver.send(.ended(.refused(failure)))
        }
        _ = driver.send(.tick, after: driver.wait)
        _ = driver.send(.accepted(sessionPresent: false))
        _ = driver.send(.ended(.lost(failure)), after: lasted)
        #expect(abs(driver.wait - expected) < 0.001)
    }

    @Test(
        "With several brokers the wait grows once each of them has been tried, and an answer is waited for longer in each round",
        arguments: [(1.0, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), (10.0, [Double](repeating: 10, count: 6))])
    func brokers(nextBrokerSeconds: Double, expected: [Double]) {
        var configuration = MosquittoConfiguration(
            brokers: BrokerList(["a", "b", "c"].map { BrokerAddress(host: $0, port: 1883) }), clientID: "gateway")
        configuration.subscriptions = [.init("in/#")]
        configuration.nextBrokerSeconds = nextBrokerSeconds
        var driver = Driver(lifecycle: ConnectionLifecycle(configuration: configuration, startingAt: start), now: start)
        var (waits, answers): ([Double], [Double]) = ([], [])
        for _ in 0..<6 {
            _ = driver.send(.tick, after: max(0, driver.wait))
            answers.append(driver.wait)
            _ = driver.send(.tick, after: driver.wait)
            waits.append((driver.wait * 10).rounded() / 10)
        }
        #expect(answers == expected)
        #expect(waits == [0.1, 0.1, 0.2, 0.1, 0.1, 0.4])
        _ = driver.send(.tick, after: driver.wait)
        _ = driver.send(.accepted(sessionPresent: false), after: 2)
        #expect(abs(driver.wait - 8) < 0.001)
    }

    @Test("After a takeover the wait is long at once")
    func takeover() {
        var driver = connected()
        _ = driver.send(.ended(.sessionTakenOver))
        #expect(driver.wait >= 15)
    }

    @Test("The third connection in a row that is lost soon after it was made points to another client; a long one ends the count")
    func repeatedLosses() {
        var driver = connected()
        func lose(after seconds: Double) -> DisconnectReason? {
            let actions = driver.send(.ended(.lost(failure)), after: seconds)
            _ = driver.send(.tick, after: driver.wait)
            _ = driver.send(.accepted(sessionPresent: true))
            guard case .announce(.disconnected(let reason)) = actions.last else { return nil }
            return reason
        }
        #expect(lose(after: 1) == .lost(failure))
        #expect(lose(after: 20) == .lost(failure))
        #expect(lose(after: 1) == .lostRepeatedly(failure))
        #expect(lose(after: 2) == .lostRepeatedly(failure))
        #expect("\(DisconnectReason.lostRepeatedly(failure))".hasPrefix("perhaps another client uses this client id"))
        #expect(lose(after: 60) == .lost(failure))
        #expect(lose(after: 1) == .lost(failure))
    }

    @Test("CONNACK and SUBACK share one deadline, moved by the time a batch was open")
    func timeout() {
        var driver = driver("in/#")
        _ = driver.send(.tick)
        _ = driver.send(.accepted(sessionPresent: false), after: 6)
        driver.lifecycle.isHeld = true
        #expect(driver.send(.tick, after: 60) == [])
        #expect(driver.lifecycle.nextDeadline == nil)
        driver.lifecycle.isHeld = false
        driver.lifecycle.wasHeld(for: .seconds(63))
        #expect(driver.send(.tick, after: 6) == [])
        #expect(driver.send(.tick, after: 1) == [.close, .announce(.disconnected(.timedOut))])
    }

    @Test("A mistake ends the run only before the first connection")
    func mistakes() {
        let mistake = MosquittoError(origin: .library, code: 3, reason: "invalid", isRetriable: false)
        var fresh = driver()
        _ = fresh.send(.tick)
        #expect(fresh.send(.ended(.connectFailed(mistake))) == [.close, .finish(.failed(mistake))])
        var later = connected()
        _ = later.send(.ended(.lost(failure)))
        _ = later.send(.tick, after: 1)
        #expect(later.send(.ended(.connectFailed(mistake))).last == .announce(.disconnected(.connectFailed(mistake))))
    }

    @Test("Stopping disconnects when drained, or at the deadline")
    func stopping() {
        var drained = connected("in/#")
        #expect(drained.send(.drained) == [])
        #expect(drained.send(.stopRequested(deadline: drained.now + .seconds(5))) == [])
        #expect(drained.send(.drained) == [.disconnect, .close, .finish(.stopped)])
        #expect(drained.send(.tick) == [])

        var late = connected("in/#")
        _ = late.send(.stopRequested(deadline: late.now + .seconds(5)))
        #expect(late.send(.tick, after: 4) == [])
        #expect(late.send(.tick, after: 1) == [.disconnect, .close, .finish(.stopped)])
    }

    @Test("While stopping it still connects again to drain, until the deadline")
    func stoppingOffline() {
        var driver = connected()
        _ = driver.send(.stopRequested(deadline: driver.now + .seconds(5)))
        _ = driver.send(.ended(.lost(failure)))
        #expect(driver.send(.tick, after: 1) == [.announce(.connecting), .connect])
        #expect(driver.send(.ended(.batchReleased), after: 5) == [.close, .finish(.stopped)])
    }

    @Test("Cancelling closes without DISCONNECT")
    func cancelling() {
        var driver = connected()
        #expect(driver.send(.cancelled) == [.close, .finish(.cancelled)])
    }
}
