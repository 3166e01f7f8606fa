/// What a device says about itself in `status`.
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
        writer.string("online", for: "state")
        writer.string(model, for: "model")
        writer.string(os, for: "os")
        writer.object(for: "authorization") { $0.string("authorized", for: "motion") }
        writer.object(for: "available") {
            for capability in Self.capabilities {
                $0.bool(available.contains(capability.description), for: capability)
            }
        }
        writer.array(for: "entitlements") {
            for entitlement in entitlements { $0.string(entitlement) }
        }
        if let wrist {
            writer.string(wrist, for: "wristLocation")
            writer.string("right", for: "crownOrientation")
        }
    }

    static func writeOffline(into writer: inout JSONWriter) {
        writer.string("offline", for: "state")
    }
}
