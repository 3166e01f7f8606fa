/// The limits of a frame that is decoded.
package struct DecodeLimits: Sendable, Equatable {
    /// Bytes of a payload; 256 KiB. At most 16 MiB are ever read.
    package var maximumPayloadBytes: Int
    /// Objects and arrays inside one another, the frame itself counted; 16.
    package var maximumNesting: Int
    /// Samples in one column; 4096, about five seconds at 800 Hz.
    package var maximumSamples: Int
    /// Entries in one list of a submersion frame; 256, over a minute at 3 Hz.
    package var maximumEntries: Int

    /// The contract's limits by default.
    package init(
        maximumPayloadBytes: Int = 262_144, maximumNesting: Int = 16, maximumSamples: Int = 4096, maximumEntries: Int = 256
    ) {
        self.maximumPayloadBytes = maximumPayloadBytes
        self.maximumNesting = maximumNesting
        self.maximumSamples = maximumSamples
        self.maximumEntries = maximumEntries
    }

    /// Rejects a payload that is too large.
    func checkSize(of message: InboundMessage) throws(Rejection) {
        guard message.payload.count <= maximumPayloadBytes else {
            throw Rejection(.payloadTooLarge, "\(message.payload.count) bytes, at most \(maximumPayloadBytes) are read")
        }
    }
}
