import Foundation
import GatewayConfiguration
import GatewaySetup
import Testing

@Suite("A registry file that is changed")
struct RegistryTextTests {
    private func device(_ id: String = "new-1") -> NewDevice {
        var device = NewDevice(id)
        device.entitlement = .shallow
        return device
    }

    private func adding(_ device: NewDevice, to text: String) throws -> String {
        try RegistryText(text, name: "r").adding(device)
    }

    @Test("A device goes behind the others, and everything else stays as it is")
    func shipped() throws {
        let text = ShippedFiles.registry
        let added = try adding(device(), to: text)
        #expect(added.hasPrefix(text.trimmingCharacters(in: .newlines)))
        #expect(added == text.trimmingCharacters(in: .newlines) + "\n  new-1: { entitlement: shallow }\n")
        #expect(try RegistryText(added, name: "r").removing("new-1") == text)
    }

    @Test(
        "Every way to write the section",
        arguments: [
            ("", "devices:", "devices:\n  new-1: { entitlement: shallow }"),
            ("unknownDevices: deny\n", "", "unknownDevices: deny\n\ndevices:\n  new-1: { entitlement: shallow }\n"),
            ("devices: {}\n", "", "devices:\n  new-1: { entitlement: shallow }\n"),
            (
                "devices:\n    a: {}\n    # b is lost\n\nunknownDevices: deny\n", "",
                "devices:\n    a: {}\n    # b is lost\n    new-1: { entitlement: shallow }\n\nunknownDevices: deny\n"
            ),
            ("devices:\n  # none yet\n", "", "devices:\n  # none yet\n  new-1: { entitlement: shallow }\n"),
            (
                "devices:\n  a:\n    streams: [status]\n# end\n", "",
                "devices:\n  a:\n    streams: [status]\n  new-1: { entitlement: shallow }\n# end\n"
            ),
        ])
    func sections(text: String, more: String, expected: String) throws {
        #expect(try adding(device(), to: text + more) == expected)
    }

    @Test("A device above one with a sender can be removed: the sender's line is no part of what the text says")
    func lines() throws {
        let rest = "  b: { from: { producer: p, topic: t, id: i } }\n"
        let text = try RegistryText("devices:\n  a: {}\n" + rest, name: "r")
        #expect(try text.removing("a") == "devices:\n" + rest)
    }

    @Test("All values are written")
    func values() throws {
        var device = device()
        (device.streams, device.session, device.wrist) = (["submersion", "status"], .required, .left)
        let entry = try RegistryText(try adding(device, to: "devices:\n"), name: "r").registry.devices["new-1"]
        #expect(entry?.streams == ["submersion", "status"])
        #expect(entry?.entitlement == .shallow && entry?.session == .required && entry?.wrist == .left)
        #expect(NewDevice("plain").yaml == "plain: {}")
    }

    @Test("What cannot be added is refused: a known id, no id, a file with problems, and a section in braces")
    func refused() throws {
        #expect(throws: SetupError("new-1 is in r already")) { try adding(device(), to: "devices:\n  new-1: {}\n") }
        #expect(throws: SetupError.self) { try adding(device("a b"), to: "devices:\n") }
        #expect(throws: SetupError.self) { try adding(device("a/b"), to: "devices:\n") }
        let problems = #expect(throws: SetupError.self) {
            try adding(device(), to: "devices:\n  a: { wrist: up }\n  b: { x: 1 }\n")
        }
        #expect(problems?.description.split(separator: "\n").count == 2)
        let byHand = #expect(throws: SetupError.self) { try adding(device(), to: "devices: { a: {} }\n") }
        #expect(byHand?.description.contains("by hand") == true)
    }

    @Test("A device is removed with all its lines")
    func removing() throws {
        let text = "devices:\n  a:\n    streams: [status]\n\n    wrist: left\n  b: {}\n"
        #expect(try RegistryText(text, name: "r").removing("a") == "devices:\n  b: {}\n")
        #expect(try RegistryText(text, name: "r").removing("b") == "devices:\n  a:\n    streams: [status]\n\n    wrist: left\n")
        #expect(throws: SetupError("c is not in r")) { try RegistryText(text, name: "r").removing("c") }
    }
}
