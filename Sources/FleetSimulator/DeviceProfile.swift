import JSONText

/// What a simulated device reports in `status`.
struct DeviceProfile: Sendable {
    var model: String
    var os: String
    var available: [String]
    var entitlements: [String] = []
    var wrist: String?

    /// The capabilities that a `status` names, in the contract's order.
    private static let capabilities: [StaticString] = [
        "headphoneMotion", "deviceMotion", "waterSubmersion", "accelerometerBatch", "deviceMotionBatch",
    ]

    func writeOnline(into writer: inout JSONWriter) {
        writer.field("state", "online")
        writer.field("model", model)
        writer.field("os", os)
        writer.object("authorization") { $0.field("motion", "authorized") }
        writer.object("available") {
            for capability in Self.capabilities {
                $0.field(capability, available.contains(capability.description))
            }
        }
        writer.array("entitlements") {
            for entitlement in entitlements { $0.element(entitlement) }
        }
        if let wrist {
            writer.field("wristLocation", wrist)
            writer.field("crownOrientation", "right")
        }
    }

    static func writeOffline(into writer: inout JSONWriter) {
        writer.field("state", "offline")
    }
}
