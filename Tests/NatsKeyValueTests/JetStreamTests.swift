import Testing

@testable import NatsKeyValue

@Suite("What JetStream answers")
struct JetStreamTests {
    @Test("a long text of a server is cut")
    func longTexts() {
        let long = "a" + String(repeating: "\u{301}x", count: 100_000)
        #expect(NatsError(long).description.utf8.count < 2_000)
        #expect(RefusedRequest(Refusal.Reason(code: 500, err_code: nil, description: long)).description.utf8.count < 2_000)
        #expect(RefusedRequest(Refusal.Reason(code: 500, err_code: 7, description: nil)).description == "JetStream: refused (7)")
    }

    @Test("the place of a message is read from both forms of its reply subject")
    func places() {
        #expect(
            DeliveryPlace("$JS.ACK.KV_b.c.1.70.3.1700000000.5").map { [$0.sequence, $0.delivery, $0.pending] } == [70, 3, 5])
        #expect(
            DeliveryPlace("$JS.ACK._.hash.KV_b.c.1.70.3.1700000000.5.token").map { [$0.sequence, $0.delivery, $0.pending] } == [
                70, 3, 5,
            ])
        for reply in [nil, "", "a.b", "$JS.ACK.KV_b.c.1.x.1.1.5", "$JS.API.KV_b.c.1.70.1.1.5"] {
            #expect(DeliveryPlace(reply) == nil)
        }
    }
}
