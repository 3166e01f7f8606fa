import GatewaySetup
import Testing

@Suite("The lines of an ACL")
struct AccessListTests {
    private let list = AccessList(
        """
        pattern write wearables/%u/in/status
        pattern read wearables/%u/out/#
        topic read public/#
        user a
        topic read pool/+
        topic readwrite both/x
        topic write only/written
        topic deny pool/secret
        user  b \u{20}
        topic all/+/raw\t
        user b of the house
        topic read house/#
        """)

    @Test(
        "Who is delivered what",
        arguments: [
            ("a", "pool/1", true), ("a", "pool/+", true), ("a", "pool/#", false), ("a", "pool/1/x", false),
            ("a", "pool/secret", false),
            ("a", "both/x", true), ("a", "only/written", false), ("a", "all/1/raw", false), ("a", "public/x", false),
            ("b", "all/+/raw", true), ("b", "all/1/raw", true), ("b", "pool/1", false), ("b", "wearables/b/out/x", true),
            ("b", "wearables/a/out/x", false), ("c", "wearables/c/out/#", true), ("c", "wearables/c/in/status", false),
            ("b of the house", "house/1", true), ("b", "house/1", false),
        ])
    func reading(user: String, filter: String, mayRead: Bool) {
        #expect(list.mayRead(filter, as: user) == mayRead)
    }

    @Test("The shipped ACL lets the lanes read what the shipped producers need")
    func shipped() {
        let shipped = AccessList(ShippedFiles.acl)
        #expect(shipped.mayRead("sensor-logger/+", as: "gateway-in"))
        #expect(shipped.mayRead("wearables/+/out/alarm/#", as: "notify") && !shipped.mayRead("wearables/+/out/#", as: "notify"))
        #expect(shipped.mayRead("wearables/+/in/#", as: "recorder") && !shipped.mayRead("wearables/+/in/#", as: "simulator"))
        #expect(!shipped.mayRead("pool/+", as: "gateway-in"))
    }
}
