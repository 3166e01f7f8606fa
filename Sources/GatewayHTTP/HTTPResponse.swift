/// What a server answers.
///
/// The server itself adds `Connection: close`, `Content-Length`, `Cache-Control: no-store` and `X-Content-Type-Options: nosniff`.
package struct HTTPResponse: Sendable {
    /// What follows the header.
    package enum Body: Sendable {
        /// All of it.
        case bytes([UInt8])
        /// Server-sent events, until either side ends them.
        case events(EventStream)
    }

    /// The status code, 200 to 599.
    package var status: Int

    /// The `Content-Type`.
    package var contentType: String

    /// Further header fields.
    package var headers: [(name: String, value: String)]

    /// The body; not sent in answer to HEAD.
    package var body: Body

    /// A response.
    package init(
        status: Int = 200, contentType: String, headers: [(name: String, value: String)] = [], body: Body
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// Plain text, which gets a line feed at its end.
    package static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: .bytes(Array("\(text)\n".utf8)))
    }

    /// A JSON document.
    package static func json(_ status: Int, _ document: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", body: .bytes(document))
    }

    /// Server-sent events.
    package static func events(_ stream: EventStream) -> HTTPResponse {
        HTTPResponse(contentType: "text/event-stream", body: .events(stream))
    }
}
