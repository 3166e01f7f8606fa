internal import TelemetryModel

extension MotionSamples {
    /// Reads a series of device motion; every field of Core Motion that needs no magnetometer is required, except the sensor's
    /// location.
    init(_ node: some FrameValue, in context: FrameContext) throws(Rejection) {
        let attitudeNode = try node.required("attitude")
        let series = try Series(node, column: try attitudeNode.required("x"), in: context)
        let attitude = QuaternionColumns(
            x: try series.column("x", of: attitudeNode), y: try series.column("y", of: attitudeNode),
            z: try series.column("z", of: attitudeNode), w: try series.column("w", of: attitudeNode))
        try Self.checkLength(of: attitude, at: attitudeNode)
        self.init(
            timestamp: series.timestamp,
            attitude: attitude,
            rotationRate: try series.vectors(of: try node.required("rotationRate")),
            userAcceleration: try series.vectors(of: try node.required("userAcceleration")),
            gravity: try series.vectors(of: try node.required("gravity")),
            sensorLocation: try node.optional("sensorLocation").map { node throws(Rejection) in
                try series.values(of: node, in: WireNames.sensorLocation)
            } ?? [.default],
            referenceFrame: try node.value("referenceFrame", in: WireNames.referenceFrame),
            heading: try series.optionalColumn("heading"), headingAccuracy: try series.optionalColumn("headingAccuracy"))
        try Self.checkUnused(series)
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

    private static func checkUnused(_ series: Series<some FrameValue>) throws(Rejection) {
        if let field = try series.node.optional("magneticField") {
            _ = try series.vectors(of: field)
            _ = try series.values(of: try field.required("accuracy"), in: WireNames.magneticAccuracy)
        }
    }
}
