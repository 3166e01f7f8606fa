import Foundation
import GatewayConfiguration
import Testing
import Yams

@Suite("The deployment files")
struct DeploymentTests {
    private static let compose = "docker-compose.yml"

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: TestFiles.path(path)) }

    private func services() throws -> [(name: String, service: Node)] {
        let text = try TestFiles.text(Self.compose)
        let root = try #require(try Yams.compose(yaml: text))
        return try #require(root["services"]?.mapping).map { ($0.key.string ?? "", $0.value) }
    }

    private static let onRequest = ["fleet": "fleet", "page": "page", "prometheus": "observe", "grafana": "observe"]

    @Test(
        "Compose has its services, those beside broker and gateway only on request, and names files, volumes and settings that exist"
    )
    func composeFile() throws {
        let services = try services()
        #expect(
            services.map(\.name) == ["certificates", "accounts", "broker", "gateway", "fleet", "page", "prometheus", "grafana"])
        // docker-compose 1.29 refuses every key at the top but these.
        let keys = try #require(try Yams.compose(yaml: TestFiles.text(Self.compose))?.mapping).keys.compactMap(\.string)
        #expect(keys.allSatisfy { $0.hasPrefix("x-") || ["services", "volumes", "networks"].contains($0) }, "\(keys)")
        let text = try TestFiles.text(Self.compose)
        let volumes = try #require(try Yams.compose(yaml: text)?["volumes"]?.mapping).keys.compactMap(\.string)
        let variables = Set(ConfigurationReference.settings.map(\.environmentName))
        for (name, service) in services {
            #expect((service["profiles"]?.sequence?.compactMap(\.string) ?? []) == [Self.onRequest[name]].compactMap(\.self))
            #expect((service["image"]?.string == "eclipse-mosquitto:2.0") == (name == "accounts" || name == "broker"))
            if let context = service["build"]?.string { #expect(exists("\(context)/Dockerfile")) }
            for mount in service["volumes"]?.sequence?.compactMap(\.string) ?? [] {
                let source = mount.prefix { $0 != ":" }
                #expect(source.hasPrefix("./") ? exists(String(source)) : volumes.contains(String(source)), "\(mount)")
            }
            for (variable, _) in service["environment"]?.mapping ?? [:] {
                let known = !(variable.string ?? "").hasPrefix("FATHOM_") || variables.contains(variable.string ?? "")
                #expect(known, "\(name): \(variable.string ?? "")")
            }
        }
    }

    @Test("Grafana finds its dashboards and their data source where Compose puts them")
    func grafana() throws {
        let service = try #require(try services().first { $0.name == "grafana" }?.service)
        let mounts = service["volumes"]?.sequence?.compactMap(\.string) ?? []
        #expect(mounts.contains("./config/grafana:/etc/fathom:ro"))
        let folder = try #require(service["environment"]?["GF_PATHS_PROVISIONING"]?.string)
        let place = "config/grafana" + folder.dropFirst("/etc/fathom".count)
        let provider = try #require(try Yams.compose(yaml: TestFiles.text("\(place)/dashboards/fathom.yml")))
        #expect(provider["providers"]?[0]?["options"]?["path"]?.string == "/etc/fathom")
        let source = try #require(try Yams.compose(yaml: TestFiles.text("\(place)/datasources/prometheus.yml")))
        let url = try #require(source["datasources"]?[0]?["url"]?.string.flatMap { URL(string: $0) })
        #expect(try services().contains { $0.name == url.host() } && url.port == 9090)
        #expect(source["datasources"]?[0]?["isDefault"]?.bool == true)
    }

    @Test("What compose replaces in the broker's configuration is there to be replaced")
    func replacements() throws {
        let configuration = try TestFiles.text("config/mosquitto.conf")
        let broker = try #require(try services().first { $0.name == "broker" }?.service)
        let script = try #require(broker["command"]?.sequence?.last?.string)
        let patterns = script.matches(of: /-e 's#\^?([^#$]+)\$*#/).map { String($0.1) }
        #expect(patterns == ["listener 1883 127.0.0.1", "/etc/mosquitto/passwords", "/etc/mosquitto/certs/"])
        #expect(patterns.allSatisfy(configuration.contains))
    }

    @Test("The Dockerfile's instructions are well formed and its sources exist and are sent to the builder")
    func dockerfile() throws {
        let known: Set = ["FROM", "ENV", "RUN", "WORKDIR", "COPY", "USER", "HEALTHCHECK", "ENTRYPOINT", "CMD"]
        let sent = try TestFiles.text(".dockerignore").split(separator: "\n").filter { $0.hasPrefix("!") }.map {
            String($0.dropFirst())
        }
        let lines = try TestFiles.text("Dockerfile").replacing(/\\\n\s*/, with: "").split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }
        let instructions = lines.map { line in line.split(separator: " ").map(String.init) }
        #expect(instructions.first?.first == "FROM")
        #expect(instructions.allSatisfy { known.contains($0[0]) && $0.count > 1 })
        #expect(instructions.last { $0[0] == "USER" }.map { Int($0[1]) ?? 0 } ?? 0 > 0)
        for copy in instructions where copy[0] == "COPY" && !copy[1].hasPrefix("--from=build") {
            for source in copy.dropFirst().dropLast() {
                #expect(exists(source), "\(source)")
                #expect(sent.contains { source == $0 || source.hasPrefix($0 + "/") }, "\(source)")
            }
        }
        for line in lines {
            guard let start = line.firstIndex(of: "["), !line.hasPrefix("RUN") else { continue }
            let arguments = try JSONDecoder().decode([String].self, from: Data(line[start...].utf8))
            #expect(!arguments.isEmpty)
        }
    }
}
