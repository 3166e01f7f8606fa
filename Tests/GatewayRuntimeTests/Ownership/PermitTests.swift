import GatewayTestSupport
import Mosquitto
import Testing

@testable import GatewayRuntime

@Suite("What an owner may do")
struct PermitTests {
    private let clock = ManualClock(unix: 100)

    @Test("nothing before the name is won, and after the lease; everything during it")
    func lease() {
        let permit = Permit(clock: clock)
        #expect(permit.passage == .closed)
        #expect(permit.epoch == nil)
        permit.extend(until: 102)
        permit.win(epoch: 7)
        #expect(permit.isOpen)
        #expect(permit.epoch == 7)
        clock.advance(by: 2)
        #expect(permit.passage == .closed)
        #expect(permit.epoch == 7)
        permit.extend(until: 104)
        #expect(permit.isOpen)
    }

    @Test("once it is lost, it is lost for good")
    func lost() {
        let permit = Permit(clock: clock)
        permit.extend(until: 200)
        permit.lose()
        permit.extend(until: 300)
        #expect(permit.passage == .lost)
        #expect(!permit.isOpen)
    }
}
