import GatewayPipeline
import Testing

@Suite("Kinds of derived messages")
struct KindTests {
    @Test("Every kind has a unique name, and a summary of itself and its fields", arguments: KindDescription.all)
    func sentences(kind: KindDescription) {
        #expect(KindDescription.all.count { $0.name == kind.name } == 1)
        let names = Set(kind.fields.map(\.name))
        #expect(names.count == kind.fields.count)
        // A key cannot stand twice in an object.
        #expect(names.isDisjoint(with: Self.envelope))
        for sentence in [kind.summary] + kind.fields.map(\.summary) {
            #expect(sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(kind.name): \(sentence)")
        }
    }

    /// What every derived message may hold.
    private static let envelope: Set<String> = [
        "schema", "id", "device", "kind", "at", "deviceTime", "received", "source", "derivation", "quality", "validUntil", "skew",
    ]
}
