package import GatewayRuntime
package import TelemetryModel

extension TestDevice {
    /// A frame of `samples`, raw or fused, on `stream`, sent 20 ms after the last of them.
    package mutating func motion(_ samples: MotionSamples, on stream: StreamName = .deviceMotion) -> RecordedMessage {
        func list(_ values: [Double]) -> String { "[\(values.map { "\($0)" }.joined(separator: ","))]" }
        func vectors(_ columns: VectorColumns) -> String {
            #"{"x":\#(list(columns.x)),"y":\#(list(columns.y)),"z":\#(list(columns.z))}"#
        }
        let attitude = samples.attitude
        var fields = [
            #""timestamp":\#(list(samples.timestamp))"#, #""rotationRate":\#(vectors(samples.rotationRate))"#,
        ]
        if let raw = samples.raw {
            fields.append(#""acceleration":\#(vectors(raw.acceleration))"#)
            if let field = raw.magneticField { fields.append(#""magneticField":\#(vectors(field))"#) }
        } else {
            fields += [
                #""attitude":{"x":\#(list(attitude.x)),"y":\#(list(attitude.y)),"z":\#(list(attitude.z)),"w":\#(list(attitude.w))}"#,
                #""userAcceleration":\#(vectors(samples.userAcceleration))"#, #""gravity":\#(vectors(samples.gravity))"#,
            ]
        }
        let key = stream == .batchedIMU ? "deviceMotion" : "samples"
        return frame(
            stream.rawValue, uptime: (samples.timestamp.last ?? 0) + 0.02, #""\#(key)":{\#(fields.joined(separator: ","))}"#)
    }
}
