import GatewayPipeline
@testable import LiveView
import Testing

@Suite("What the live view reads")
struct DeclaredFieldTests {
    /// What no kind declares: the envelope, and the fields of `rejected` and of the gateway's status.
    private static let others: Set<String> = ["at", "quality", "reason", "detail", "topic", "count", "state"]

    @Test("Every field it reads is one that a kind declares")
    func fields() throws {
        let fields = try #require(DerivedFields(Array("{}".utf8)))
        let read = Set(Mirror(reflecting: fields).children.compactMap(\.label))
        let declared = Set(KindDescription.all.flatMap { $0.fields.map(\.name) })
        #expect(read.count > 30)
        #expect(read.subtracting(declared).isSubset(of: Self.others))
    }
}
