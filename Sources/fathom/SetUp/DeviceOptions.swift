public import ArgumentParser
import GatewayConfiguration
import GatewayPipeline
import GatewaySetup
public import TelemetryModel

/// What the registry is to say of a device, as options.
struct DeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How deep it may measure: none, shallow (6 m) or full (40 m); with movementDisorder, separated by a comma, also Apple's results.",
            valueName: "list"))
    var entitlement: String?

    @Option(help: ArgumentHelp("The streams it has, separated by commas.", valueName: "list"))
    var streams: String?

    @Option(help: "Whether batched motion needs a running workout: required or notRequired.")
    var session: RegistryEntry.Session?

    @Option(help: "The wrist it is on: left or right.")
    var wrist: Side?

    @Option(
        help: ArgumentHelp(
            "What its person has consented to, separated by commas: \(RegistryEntry.consents.joined(separator: ", ")); or nothing.",
            valueName: "list"))
    var consent: String?

    @Option(help: ArgumentHelp("The time zone of its nights, such as Europe/Berlin; without one UTC.", valueName: "name"))
    var timeZone: String?

    /// The device with these values; throws for one that no registry could have.
    func device(_ id: String) throws -> NewDevice {
        var device = NewDevice(id)
        (device.session, device.wrist) = (session, wrist)
        device.streams = try Self.list(streams, "--streams", "a stream that is read", among: AddDevice.streams)
        device.consent =
            consent == "nothing"
            ? []
            : try Self.list(
                consent, "--consent", "anything that can be consented to", among: RegistryEntry.consents + ["nothing"])
        let depths = RegistryEntry.Entitlement.allCases.map(\.rawValue)
        let entitlements =
            try Self.list(entitlement, "--entitlement", "an entitlement", among: depths + ["movementDisorder"]) ?? []
        let given = entitlements.compactMap(RegistryEntry.Entitlement.init(rawValue:))
        guard given.count <= 1 else {
            throw ValidationError("--entitlement: \(given[0].rawValue) and \(given[1].rawValue) are two depths")
        }
        device.entitlement = given.first
        device.movementDisorder = entitlements.contains("movementDisorder")
        if let timeZone, !LocalNoon.isKnown(timeZone) || timeZone.contains(where: { " ,[]{}#:\"'".contains($0) }) {
            throw ValidationError(
                "--time-zone: \(timeZone.debugDescription) is no time zone that this system knows, such as Europe/Berlin or UTC")
        }
        device.timeZone = timeZone
        return device
    }

    /// The words of a list, each one of `known`.
    private static func list(_ text: String?, _ option: String, _ kind: String, among known: [String]) throws -> [String]? {
        guard let text else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for (index, name) in names.enumerated() {
            guard known.contains(name) else {
                throw ValidationError(
                    "\(option): \(name.debugDescription) is not \(kind)\(NearestKey.hint(for: name, in: known)); there are "
                        + known.joined(separator: ", "))
            }
            guard !names[..<index].contains(name) else { throw ValidationError("\(option): \(name) is there twice") }
        }
        return names
    }
}

extension RegistryEntry.Session: ExpressibleByArgument {}
extension Side: ExpressibleByArgument {}
