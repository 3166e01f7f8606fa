import Foundation
import GatewayRuntime
import Testing

@Suite("The version")
struct VersionTests {
    private func text(_ name: String) throws -> String { try String(contentsOfFile: Project.path(name), encoding: .utf8) }

    @Test("The program, the changelog and the manifests name one version")
    func agree() async throws {
        let printed = try await FathomProcess.run(["--version"]).output.trimmingCharacters(in: .newlines)
        #expect(printed == GatewayVersion.current)
        #expect(printed.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
        let changelog = try #require(try text("CHANGELOG.md").firstMatch(of: /(?m)^## \[(.+?)\]/))
        #expect(String(changelog.1) == printed)
        let image = try #require(try text("config/kubernetes/statefulset.yaml").firstMatch(of: /image: fathom:(\S+)/))
        #expect(String(image.1) == printed)
        #expect(try text("docs/getting-started.md").contains("fathom_\(printed)_amd64.deb"))
    }
}
