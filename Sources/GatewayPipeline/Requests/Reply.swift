import JSONText
package import TelemetryModel

/// A reply to a request, to be published at QoS 1, never retained.
package struct Reply: Sendable, Equatable {
    /// How long the broker may keep it for a client that is not connected, in seconds.
    package static let expirySeconds: UInt32 = 60
    /// The largest payload, in bytes: the brokers of `config/` take packets of 300,000.
    static let mostBytes = 262_144

    /// Where it goes.
    package let address: ReplyAddress
    /// JSON.
    package let payload: [UInt8]
    /// Whether it holds an error in place of data.
    package let isError: Bool

    private init(_ address: ReplyAddress, _ payload: [UInt8], isError: Bool) {
        self.address = address
        self.payload = payload
        self.isError = isError
    }

    /// The reply that says why there are no data.
    package init(to address: ReplyAddress, _ failure: RequestFailure, at now: UnixTime) {
        let payload = Self.payload(to: address, at: now) { json in
            json.field("error", failure.reason.rawValue)
            if !failure.pointer.isEmpty { json.field("pointer", failure.pointer) }
            json.field("detail", failure.detail)
            if failure.reason == .unknownQuery { json.field("queries", Query.names) }
        }
        self.init(address, payload, isError: true)
    }

    /// The reply that holds what `body` writes or, where that is too large, an error.
    static func holding(_ request: Request, at now: UnixTime, _ body: (inout JSONWriter) -> Void) -> Reply {
        let payload = payload(to: request.address, at: now) { json in
            json.field("device", request.device.rawValue)
            body(&json)
        }
        guard payload.count <= mostBytes else {
            return Reply(to: request.address, .tooLarge(mostBytes), at: now)
        }
        return Reply(request.address, payload, isError: false)
    }

    private static func payload(
        to address: ReplyAddress, at now: UnixTime, _ body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.field("schema", OutboundEncoder.schema)
            json.seconds("at", now.seconds)
            if let correlation = address.correlation { json.field("correlation", correlation) }
            body(&json)
        }
    }
}
