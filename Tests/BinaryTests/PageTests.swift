import Foundation
import HTTPTestSupport
import LocalBroker
import Testing

@Suite("The views of a fleet")
struct PageTests {
    @Test("page serves its broker's fleet, says when the broker is gone, and ends in order")
    func page() async throws {
        let broker = try await BrokerProcess()
        let page = try FathomProcess(["page", "--set", "mqtt.port=\(broker.port)", "--set", "page.port=0"])
        let port = try await port(of: page)
        func answer(_ path: String) async throws -> String { try await RawHTTPClient.get(path, port: port) }
        try await eventually("the page is connected") { try await answer("/healthz").hasPrefix("HTTP/1.1 200 ") }
        #expect(try await answer("/").contains("<title>Fathom</title>"))
        #expect(try await answer("/api/devices").contains(#""devices":[]"#))
        broker.kill()
        try await eventually("the page notices") { try await answer("/healthz").hasPrefix("HTTP/1.1 503 ") }
        let outcome = try await page.terminate()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("page starts nothing on an address that other machines reach without a token, nor with a short token")
    func refused() async throws {
        let open = try await FathomProcess.run(["page", "--set", "page.address=0.0.0.0"])
        #expect(open.status == 1)
        #expect(open.errors.contains("page.address: contradicts page.tokenFile"))
        let directory = try TemporaryDirectory()
        let file = try directory.write("short\n", to: "token")
        let weak = try await FathomProcess.run(["page", "--set", "page.tokenFile=\(file)"])
        #expect(weak.status == 1)
        #expect(weak.errors.contains("page.tokenFile") && weak.errors.contains("at least 16"))
    }

    @Test("page names a port that is in use")
    func portInUse() async throws {
        let port = try LoopbackPort.free()
        let holder = try FathomProcess(["page", "--set", "page.port=\(port)"])
        _ = try await self.port(of: holder)
        let outcome = try await FathomProcess.run(["page", "--set", "page.port=\(port)"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("page.port: cannot listen on 127.0.0.1:\(port)"))
        #expect(try await holder.terminate().status == 0)
    }

    @Test("watch prints lines where there is no terminal, and ends in order")
    func watch() async throws {
        let broker = try await BrokerProcess()
        let watch = try FathomProcess(["watch", "--set", "mqtt.port=\(broker.port)"])
        try await eventually("it is connected") { watch.output.contains("broker      connected") }
        watch.interrupt()
        let outcome = try await watch.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.output.contains("\u{1B}"))
    }

    /// The port in the address that the page prints.
    private func port(of page: FathomProcess) async throws -> Int {
        try await eventually("the address is printed") { page.errors.contains("is at http://127.0.0.1:") }
        let address = try #require(page.errors.components(separatedBy: "http://127.0.0.1:").last)
        return try #require(Int(address.prefix { $0.isNumber }))
    }
}
