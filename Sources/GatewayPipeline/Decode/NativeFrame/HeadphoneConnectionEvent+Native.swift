internal import TelemetryModel

extension HeadphoneConnectionEvent {
    /// Reads a connection event.
    init(_ frame: some FrameValue, in context: FrameContext) throws(Rejection) {
        self.init(
            event: try frame.required("event").value(in: WireNames.connectionEvent),
            time: try context.deviceTime(try frame.required("timestamp")))
    }
}
