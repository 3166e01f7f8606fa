import Foundation
import GatewayConfiguration
import GatewaySetup
import LocalBroker
import TelemetryModel
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
        #expect(throws: SetupError("new-1 is in r already: 'fathom device edit' changes it")) {
            try adding(device(), to: "devices:\n  new-1: {}\n")
        }
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

    private func editing(_ text: String, unset: [String] = [], _ change: (inout NewDevice) -> Void = { _ in }) throws -> String {
        var device = NewDevice("a")
        change(&device)
        return try RegistryText(text, name: "r").editing(device, unset: unset)
    }

    @Test(
        "A key is set in every way to write an entry, and all else stays",
        arguments: [
            ("devices:\n  a: {}\n", "devices:\n  a: { entitlement: full }\n"),
            ("devices:\n  a:\n  b: {}\n", "devices:\n  a:\n    entitlement: full\n  b: {}\n"),
            (
                "devices:\n  a: { wrist: left, entitlement: none }  # c\n",
                "devices:\n  a: { wrist: left, entitlement: full }  # c\n"
            ),
            (
                "devices:\n  a: {streams: [status, submersion], model: \"x, }y\"}\n",
                "devices:\n  a: { streams: [status, submersion], model: \"x, }y\", entitlement: full }\n"
            ),
            (
                "devices:\n  # first\n  a:\n    # inside\n    wrist: left  # w\n    entitlement: shallow  # e\n  b: {}\n",
                "devices:\n  # first\n  a:\n    # inside\n    wrist: left  # w\n    entitlement: full  # e\n  b: {}\n"
            ),
            (
                "devices:\n  a:\n    entitlement:\n      - shallow\n      - movementDisorder\n    wrist: left\n",
                "devices:\n  a:\n    entitlement: full\n    wrist: left\n"
            ),
            ("devices:\n  a:  # c\n    wrist: left\n", "devices:\n  a:  # c\n    entitlement: full\n    wrist: left\n"),
        ])
    func edited(text: String, expected: String) throws {
        #expect(try editing(text) { $0.entitlement = .full } == expected)
    }

    @Test("Keys are removed, so that the defaults hold")
    func unset() throws {
        #expect(try editing("devices:\n  a: { wrist: left }\n", unset: ["wrist"]) == "devices:\n  a: {}\n")
        #expect(
            try editing("devices:\n  a:\n    wrist: left\n    consent: [sleep]\n", unset: ["wrist"])
                == "devices:\n  a:\n    consent: [sleep]\n")
        #expect(try editing("devices:\n  a:\n    wrist: left\n", unset: ["wrist", "session"]) == "devices:\n  a:\n")
    }

    @Test("Every key that a command sets is written and read")
    func everyKey() throws {
        let text = try editing("devices:\n  a: {}\n") { device in
            (device.entitlement, device.movementDisorder, device.streams) = (.shallow, true, ["submersion"])
            (device.session, device.wrist, device.consent) = (.required, .right, ["sleep", "tremor"])
            (device.timeZone, device.revoked) = ("Europe/Berlin", true)
        }
        let entry = try #require(try RegistryText(text, name: "r").registry.devices["a"])
        #expect(entry.entitlement == .shallow && entry.movementDisorder == true && entry.streams == ["submersion"])
        #expect(entry.session == .required && entry.wrist == .right && entry.consent == ["sleep", "tremor"])
        #expect(entry.timeZone == "Europe/Berlin" && entry.revoked == true)
        let without = try editing(text, unset: RegistryEntry.settableKeys)
        #expect(without == "devices:\n  a: {}\n")
    }

    @Test("What cannot be changed by lines is left to its author, and an unknown device is named with the nearest")
    func byHand() throws {
        for text in ["devices: { a: {} }\n", "devices:\n  a: {\n    wrist: left }\n"] {
            let error = #expect(throws: SetupError.self) { try editing(text) { $0.entitlement = .full } }
            #expect(error?.description.contains("set entitlement: full of \"a\"") == true)
        }
        let unknown = #expect(throws: SetupError.self) {
            try RegistryText("devices:\n  ultra-1: {}\n", name: "r").editing(NewDevice("ultra-2"))
        }
        #expect(unknown?.description == "ultra-2 is not in r; did you mean ultra-1?")
    }

    @Test("Changes at once are made one after another")
    func changesAtOnce() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("devices:\n", to: "registry.yaml")
        let ids = (0..<16).map { "d\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask {
                    try RegistryFile.locked(path, nil) { file throws(SetupError) in
                        try file.change { text throws(SetupError) in try text.adding(NewDevice(id)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Set(RegistryFile(path).text.registry.devices.keys) == Set(ids))
    }
}
