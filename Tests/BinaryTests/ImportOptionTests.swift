import LocalBroker
import Testing

@Suite("Options of fathom import")
struct ImportOptionTests {
    @Test("A zone may begin with a minus")
    func zone() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("date,depth_m\n2023-06-05 23:37:35,1\n", to: "dive.csv")
        let outcome = try await FathomProcess.run(["import", "--device", "d1", "--zone", "-05:00", file])
        #expect(outcome.status == 0 && outcome.output.contains(#""at":1686026255,"#), "\(outcome)")
    }
}
