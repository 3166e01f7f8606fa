import GatewayConfiguration
import Testing

@Suite("The settings of the fleet page")
struct PageSettingsTests {
    private func load(_ overrides: String...) -> (page: GatewayConfiguration.Page, problems: [String]) {
        let (configuration, problems) = GatewayConfiguration.load(file: nil, overrides: overrides)
        return (configuration.page, problems.map(\.message))
    }

    @Test("The terminal's view has an account of its own, else that of the page")
    func watchAccount() {
        let page = ["page.account.username=page", "page.account.password=p"]
        let watch = ["watch.account.username=watch", "watch.account.password=w"]
        #expect(GatewayConfiguration.load(file: nil, overrides: page + watch).configuration.watchAccount == .watch)
        #expect(GatewayConfiguration.load(file: nil, overrides: page).configuration.watchAccount == .page)
    }

    @Test("On loopback it answers to the names of this machine, elsewhere to its address, or to those that are listed")
    func hosts() {
        #expect(load().page.acceptedHosts.contains("localhost"))
        #expect(load("page.address=127.0.0.2").page.acceptedHosts.contains("127.0.0.2"))
        #expect(load("page.address=10.0.0.7", "page.tokenFile=t").page.acceptedHosts == ["10.0.0.7"])
        #expect(load("page.address=::", "page.tokenFile=t").page.acceptedHosts == ["[::]"])
        #expect(load("page.hosts=pool.example,[::1]").page.acceptedHosts == ["pool.example", "[::1]"])
        #expect(load("page.hosts=::1,10.0.0.7").page.acceptedHosts == ["[::1]", "10.0.0.7"])
        for hosts in ["pool.example:80/", "a,,b", "http://a", "pool.example:8600", "10.0.0.7:8600", "[::1]:8600", "[pool]", "[]"]
        {
            #expect(load("page.hosts=\(hosts)").problems.count == 1, "\(hosts)")
        }
    }

    @Test(
        "An address that other machines reach needs a token",
        arguments: [
            ("127.0.0.1", true), ("127.8.9.1", true), ("::1", true), ("localhost", true), ("0.0.0.0", false), ("::", false),
            ("10.0.0.7", false), ("127.evil.example", false), ("pool", false),
        ])
    func token(_ address: String, _ isLoopback: Bool) {
        #expect(load("page.address=\(address)").problems.isEmpty == isLoopback)
        #expect(load("page.address=\(address)", "page.tokenFile=token").problems.isEmpty)
    }
}
