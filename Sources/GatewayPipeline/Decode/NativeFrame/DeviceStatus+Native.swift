internal import TelemetryModel

extension DeviceStatus {
    private static let longestText = 128
    private static let mostEntitlements = 64

    /// Reads a status; only `state` is required, unknown capabilities are skipped.
    init(_ frame: some FrameValue) throws(Rejection) {
        self.init(state: try frame.required("state").value(in: WireNames.deviceState))
        model = try Self.text("model", of: frame)
        os = try Self.text("os", of: frame)
        authorization = try frame.optional("authorization")?.value("motion", in: WireNames.authorization)
        available = try Self.available(frame)
        entitlements = try Self.entitlements(frame)
        wristLocation = try frame.value("wristLocation", in: WireNames.side)
        crownOrientation = try frame.value("crownOrientation", in: WireNames.side)
    }

    private static func text(_ key: String, of frame: some FrameValue) throws(Rejection) -> String? {
        try frame.optional(key)?.line(maximumBytes: longestText)
    }

    private static func available(_ frame: some FrameValue) throws(Rejection) -> [Capability: Bool] {
        guard let node = try frame.optional("available") else { return [:] }
        var available: [Capability: Bool] = [:]
        for capability in Capability.allCases {
            available[capability] = try node.optional(capability.rawValue)?.boolean()
        }
        return available
    }

    private static func entitlements(_ frame: some FrameValue) throws(Rejection) -> [String]? {
        guard let node = try frame.optional("entitlements") else { return nil }
        guard try node.count() <= mostEntitlements else {
            throw node.rejection(.invalidValue, "more than \(mostEntitlements) entitlements")
        }
        return try node.map { element throws(Rejection) in try element.line(maximumBytes: longestText) }
    }
}
