internal import JSONText

extension DeviceStatus {
    private static let maximumEntitlements = 64

    /// Throws unless the status can be written.
    func check() throws(FrameError) {
        try model?.checkText("model")
        try os?.checkText("os")
        let entitlements = entitlements ?? []
        guard entitlements.count <= Self.maximumEntitlements else {
            throw .tooMany(field: "entitlements", count: entitlements.count, limit: Self.maximumEntitlements)
        }
        for entitlement in entitlements { try entitlement.checkText("entitlements") }
    }

    /// Writes the fields that are reported.
    func write(into json: inout JSONWriter) {
        json.field("state", state.rawValue)
        if let model { json.field("model", model) }
        if let os { json.field("os", os) }
        if let authorization { json.object("authorization") { $0.field("motion", authorization.rawValue) } }
        if !available.isEmpty {
            json.flags(
                "available", Capability.allCases.compactMap { key in available[key].map { (name: key.rawValue, value: $0) } })
        }
        if let entitlements { json.field("entitlements", entitlements) }
        if let wristLocation { json.field("wristLocation", wristLocation.rawValue) }
        if let crownOrientation { json.field("crownOrientation", crownOrientation.rawValue) }
    }
}

extension WorkoutChange {
    /// Throws unless the change can be written.
    func check(_ rule: TimeRule) throws(FrameError) {
        try rule.check(timestamp, "timestamp")
        switch activity {
        case .name(let name): try name.checkText("activity")
        case .rawValue(let raw) where raw < 0: throw .outOfRange(field: "activity", value: Double(raw))
        case .rawValue, nil: break
        }
    }

    /// Writes the fields.
    func write(into json: inout JSONWriter) {
        json.field("state", state.name)
        switch activity {
        case .name(let name): json.field("activity", name)
        case .rawValue(let raw): json.field("activity", raw)
        case nil: break
        }
        json.field("timestamp", timestamp, decimals: FrameEncoding.time)
    }
}

extension String {
    private static let maximumBytes = 128

    fileprivate func checkText(_ field: String) throws(FrameError) {
        guard utf8.count <= Self.maximumBytes, unicodeScalars.allSatisfy(\.prints) else { throw .invalidText(field: field) }
    }
}

extension Unicode.Scalar {
    /// Whether the gateway accepts the character in a text.
    fileprivate var prints: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
