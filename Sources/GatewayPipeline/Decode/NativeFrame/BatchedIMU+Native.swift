internal import TelemetryModel

extension BatchedIMU {
    /// Reads a batch; throws `missingField` when neither half is there.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        try frame.requireAny(of: ["accelerometer", "deviceMotion"])
        self.init(
            accelerometer: try frame.optional("accelerometer").map { node throws(Rejection) in
                try AccelerometerSamples(node, in: context)
            },
            deviceMotion: try frame.optional("deviceMotion").map { node throws(Rejection) in
                try MotionSamples(node, in: context)
            })
    }
}

extension AccelerometerSamples {
    fileprivate init(_ node: some FrameValue, in context: FrameContext) throws(Rejection) {
        let series = try Series(node, column: try node.required("x"), in: context)
        self.init(timestamp: series.timestamp, acceleration: try series.vectors(of: node))
    }
}
