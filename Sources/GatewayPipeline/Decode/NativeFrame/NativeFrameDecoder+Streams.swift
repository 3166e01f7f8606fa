package import TelemetryModel

extension NativeFrameDecoder {
    /// The streams whose frames this version reads; frames of the others are rejected as `unsupportedStream`.
    package static let streams: [StreamName] = StreamName.allCases.filter { stream in
        let header = #"{"schema":"wearables/1","boot":"b","seq":0,"uptime":1}"#
        do throws(Rejection) {
            _ = try NativeFrameDecoder().decode(
                stream: stream, payload: Array(header.utf8), contentType: nil, limits: DecodeLimits())
        } catch {
            return error.reason != .unsupportedStream
        }
        return true
    }
}
