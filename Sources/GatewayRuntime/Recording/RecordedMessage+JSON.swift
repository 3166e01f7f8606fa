import GatewayPipeline

extension RecordedMessage {
    /// The message with its frame in JSON, where that is in Protocol Buffers; the gateway derives the same from it.
    package var inJSON: RecordedMessage {
        guard let json = ProtobufText.json(of: message) else { return self }
        var result = self
        result.message.payload = json
        result.message.contentType = "application/json"
        return result
    }
}
