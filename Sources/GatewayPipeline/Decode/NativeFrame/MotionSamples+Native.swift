internal import TelemetryModel

extension MotionSamples {
    /// Reads a series of device motion, which the device has fused, or which is raw: `acceleration` in place of `attitude`, `gravity`
    /// and `userAcceleration`.
    ///
    /// Throws `conflictingFields` where the forms are mixed.
    init(_ node: some FrameValue, in context: FrameContext) throws(Rejection) {
        if let acceleration = try node.optional("acceleration") {
            try self.init(raw: node, acceleration, in: context)
        } else {
            try self.init(fused: node, in: context)
        }
    }

    private init(fused node: some FrameValue, in context: FrameContext) throws(Rejection) {
        let attitudeNode = try node.fused("attitude")
        let series = try Series(node, column: try attitudeNode.required("x"), in: context)
        let attitude = QuaternionColumns(
            x: try series.column("x", of: attitudeNode), y: try series.column("y", of: attitudeNode),
            z: try series.column("z", of: attitudeNode), w: try series.column("w", of: attitudeNode))
        try Self.checkLength(of: attitude, at: attitudeNode)
        self.init(
            timestamp: series.timestamp,
            attitude: attitude,
            rotationRate: try series.vectors(of: try node.required("rotationRate")),
            userAcceleration: try series.vectors(of: try node.fused("userAcceleration")),
            gravity: try series.vectors(of: try node.fused("gravity")),
            sensorLocation: try series.sensorLocation(),
            referenceFrame: try node.value("referenceFrame", in: WireNames.referenceFrame),
            heading: try series.optionalColumn("heading"), headingAccuracy: try series.optionalColumn("headingAccuracy"))
        // Checked, not used.
        if let field = try node.optional("magneticField") {
            _ = try series.vectors(of: field)
            _ = try series.values(of: try field.required("accuracy"), in: WireNames.magneticAccuracy)
        }
    }

    private init<Node: FrameValue>(raw node: Node, _ acceleration: Node, in context: FrameContext) throws(Rejection) {
        let others = try node.fusedKeys()
        guard others.isEmpty else {
            throw node.rejection(
                .conflictingFields, key: "acceleration",
                "found acceleration beside \(others.phrase): send \(FusedKeys.all.phrase), "
                    + "or acceleration alone where the device has no fusion")
        }
        let series = try Series(node, column: try acceleration.required("x"), in: context)
        let total = try series.vectors(of: acceleration)
        let field = try node.optional("magneticField").map { field throws(Rejection) in try series.vectors(of: field) }
        // Reference frame, heading and the accuracy of the field are about a fusion that the device does not have: unknown keys.
        self.init(
            timestamp: series.timestamp, rotationRate: try series.vectors(of: try node.rateBesideAcceleration()),
            sensorLocation: try series.sensorLocation(),
            source: .sensors(RawMotion(acceleration: total, magneticField: field)))
    }

    private static func checkLength(of attitude: QuaternionColumns, at node: some FrameValue) throws(Rejection) {
        for index in 0..<attitude.count {
            let quaternion = attitude[index]
            let squared = (quaternion * quaternion).sum()
            guard squared >= 0.81, squared <= 1.21 else {
                throw node.rejection(
                    .invalidValue, "the quaternion of sample \(index) is \(squared.squareRoot()) long, expected about 1")
            }
        }
    }
}

extension Series {
    /// Where the samples were measured.
    fileprivate func sensorLocation() throws(Rejection) -> [SensorLocation] {
        guard let location = try node.optional("sensorLocation") else { return [.default] }
        return try values(of: location, in: WireNames.sensorLocation)
    }
}

/// The fields that a device with fusion sends together.
private enum FusedKeys {
    static let all = ["attitude", "gravity", "userAcceleration"]
}

extension FrameValue {
    /// Those of the fused fields that are there; null counts as absent.
    fileprivate func fusedKeys() throws(Rejection) -> [String] {
        var keys: [String] = []
        for key in FusedKeys.all {
            if try optional(key) != nil { keys.append(key) }
        }
        return keys
    }

    /// The fused field `key` of motion without `acceleration`; throws `missingField`, which says what the motion may have instead.
    fileprivate func fused(_ key: String) throws(Rejection) -> Self {
        if let value = try member(key) { return value }
        let others = try fusedKeys()
        if others.isEmpty, let word = misspelling(of: "acceleration") {
            throw rejection(.missingField, key: "acceleration", "the field is missing; \(word)")
        }
        guard misspelling(of: key) == nil else { return try required(key) }
        let found = others.isEmpty ? "" : " beside \(others.phrase)"
        throw rejection(
            .missingField, key: key,
            "the field is missing\(found): send \(FusedKeys.all.phrase), or acceleration alone where the device has no fusion")
    }

    /// The rotation rate of raw motion; throws `missingField`, which says where acceleration alone can go.
    fileprivate func rateBesideAcceleration() throws(Rejection) -> Self {
        if try member("rotationRate") == nil, misspelling(of: "rotationRate") == nil {
            throw rejection(
                .missingField, key: "rotationRate",
                "the field is missing beside acceleration; a device without a gyroscope can send recorded-accelerometer")
        }
        return try required("rotationRate")
    }
}

extension [String] {
    /// The words as a list in a sentence.
    fileprivate var phrase: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
    }
}
