/// How a request is answered.
package enum HTTPAnswer: Sendable {
    /// With a response that is there at once. Nothing but the server's own thread has to run for it.
    case response(HTTPResponse)
    /// With what a task returns. It waits for its turn among all tasks of the process.
    case task(@Sendable () async -> HTTPResponse)

    /// Plain text, as in `HTTPResponse`.
    package static func text(_ status: Int, _ text: String) -> HTTPAnswer { .response(.text(status, text)) }

    /// Server-sent events.
    package static func events(_ stream: EventStream) -> HTTPAnswer { .response(.events(stream)) }
}
