import Foundation
package import GatewayPipeline
import LiveView
import Synchronization
import TelemetryModel

/// What the page asks gateways: requests that it publishes, and the replies that it waits for.
///
/// It asks no faster than a gateway answers one user, so that many viewers do not get refusals. Acknowledgements wait for no other requests.
package final class PageRequests: Sendable {
    /// Why there is no reply with data.
    package enum Failure: Error, Sendable, Equatable {
        /// The gateway says so: the error's name in the contract, its place in the request, and a sentence.
        case refused(reason: String, pointer: String, detail: String)
        /// No gateway answered in time.
        case noAnswer(seconds: Double)
        /// The page has no connection to the broker; why.
        case notConnected(String)
        /// Too many viewers ask at once.
        case busy
    }

    /// How the page publishes and waits.
    package struct Port: Sendable {
        /// Publishes a request at once.
        package var publish: @Sendable (_ topic: String, _ payload: [UInt8]) -> Void
        /// Seconds on a clock that never goes back.
        package var monotonic: @Sendable () -> Double
        /// Waits; throws when its task is cancelled.
        package var sleep: @Sendable (_ seconds: Double) async throws -> Void

        /// A port.
        package init(
            publish: @escaping @Sendable (_ topic: String, _ payload: [UInt8]) -> Void,
            monotonic: @escaping @Sendable () -> Double, sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void
        ) {
            self.publish = publish
            self.monotonic = monotonic
            self.sleep = sleep
        }
    }

    private struct Waiting {
        var continuation: CheckedContinuation<Result<[UInt8], Failure>, Never>
        /// How many gateways may answer, and the refusal of one of them.
        var gateways: Int
        var refusal: Failure?
        /// Ends the request when nobody answers in time.
        var timer: Task<Void, Never>?

        func end(_ result: Result<[UInt8], Failure>) {
            timer?.cancel()
            continuation.resume(returning: result)
        }
    }

    /// The pace of some requests: some at once, then evenly.
    private struct Pace {
        /// Their share of the requests that a gateway answers in a second.
        let share: Double
        /// When the next request may be published, if one were published at every instant that allows one.
        private var nextAt = -Double.infinity

        init(share: Double) { self.share = share }

        /// How long a further request waits, in s; 0 or less for none, and nil where it would be too long. `perSecond` are all requests.
        mutating func takeTurn(at now: Double, perSecond: Double) -> Double? {
            let interval = 1 / (perSecond * share)
            let first = max(nextAt, now - max(PageRequests.burstSeconds / share, interval))
            guard first - now < PageRequests.longestQueue else { return nil }
            nextAt = first + interval
            // The burst is what has not been asked for in the last seconds.
            return nextAt - now
        }
    }

    private struct Contents {
        var number: UInt64 = 0
        var waiting: [String: Waiting] = [:]
        var brokerProblem: String? = "connecting"
        var gateways = 1
        var acknowledgements = Pace(share: 0.2)
        var others = Pace(share: 0.8)
    }

    private static let mostWaiting = 128
    /// For so many seconds' requests of all shares each share may ask at once. Together they are less than a gateway allows: it may remember
    /// requests of a page before this one.
    private static let burstSeconds = 2.3
    /// The longest time that a request waits before it is published, in s.
    private static let longestQueue = 20.0
    /// The longest reply that may be a refusal, in bytes.
    private static let longestRefusal = 4_096

    private let root: String
    private let user: String
    private let run: String
    private let perSecond: Double
    private let port: Port
    private let contents = Mutex(Contents())

    /// Requests of `user`, the page's account, `perSecond` of them a second; replies come on topics that `run` distinguishes from those
    /// of another page.
    package init(root: String, user: String, perSecond: Double, run: String, port: Port) {
        self.root = root
        self.user = Identifier(user) == nil ? "page" : user
        self.perSecond = perSecond
        self.run = run
        self.port = port
    }

    /// What the page has to subscribe to for the replies.
    package var replies: String { "fathom/+/reply/\(user)/#" }

    /// Notes why nothing is received, nil when connected, and how many gateways there are.
    package func note(brokerProblem: String?, gateways: Int) {
        contents.withLock { contents in
            contents.brokerProblem = brokerProblem
            contents.gateways = max(1, gateways)
        }
    }

    /// Takes a message that may be a reply; false where it is none.
    package func receive(topic: String, payload: [UInt8]) -> Bool {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 6, levels[0] == "fathom", levels[2] == "reply", levels[3] == user else { return false }
        guard levels[4] == run else { return true }
        let refusal = payload.count > Self.longestRefusal ? nil : Self.refusal(payload)
        let finished = contents.withLock { contents -> (Waiting, Result<[UInt8], Failure>)? in
            guard var waiting = contents.waiting.removeValue(forKey: String(levels[5])) else { return nil }
            guard let refusal else { return (waiting, .success(payload)) }
            waiting.gateways -= 1
            guard waiting.gateways > 0, refusal.isOfAnyGateway else { return (waiting, .failure(refusal)) }
            waiting.refusal = refusal
            contents.waiting[String(levels[5])] = waiting
            return nil
        }
        finished.map { $0.end($1) }
        return true
    }

    private static func refusal(_ payload: [UInt8]) -> Failure? {
        guard let fields = DeclaredKinds([]).fields(payload, on: "reply"), let reason = fields.text("error") else { return nil }
        return .refused(reason: reason, pointer: fields.text("pointer") ?? "", detail: fields.text("detail") ?? reason)
    }

    /// Publishes a request about a device, with the members that `body` has, and returns its reply.
    package func ask(
        _ query: String, of device: String, _ body: [String: MessageValue], within seconds: Double
    ) async throws(Failure) -> [UInt8] {
        let (name, delay) = try contents.withLock { contents throws(Failure) in
            if let problem = contents.brokerProblem { throw .notConnected(problem) }
            let now = port.monotonic()
            let pace = query == "acknowledge" ? \Contents.acknowledgements : \Contents.others
            guard pace == \.acknowledgements || contents.waiting.count < Self.mostWaiting,
                let delay = contents[keyPath: pace].takeTurn(at: now, perSecond: perSecond)
            else { throw .busy }
            contents.number += 1
            return (String(contents.number), delay)
        }
        if delay > 0 { try? await port.sleep(delay) }
        let members = body.merging(["reply": .text("\(user)/\(run)/\(name)")]) { $1 }
        let result = await withCheckedContinuation { continuation in
            contents.withLock { $0.waiting[name] = Waiting(continuation: continuation, gateways: $0.gateways) }
            let timer = Task {
                guard (try? await port.sleep(seconds)) != nil else { return }
                end(name, .noAnswer(seconds: seconds))
            }
            contents.withLock { $0.waiting[name]?.timer = timer }
            port.publish("\(root)/\(device)/query/\(query)/\(user)", Array(MessageValue.object(members).json.utf8))
        }
        return try result.get()
    }

    private func end(_ name: String, _ failure: Failure) {
        guard let waiting = contents.withLock({ $0.waiting.removeValue(forKey: name) }) else { return }
        waiting.end(.failure(waiting.refusal ?? failure))
    }
}

extension PageRequests.Failure {
    /// What a viewer reads.
    package var text: String {
        switch self {
        case .refused("notStored", _, _): "the gateway keeps no earlier days: it has no gateway.stateDirectory"
        case .refused(_, _, let detail): detail
        case .noAnswer(let seconds):
            "no gateway answered within \(Int(seconds)) s: it may not answer requests, or the page's account may not ask (docs/page.md#rights)"
        case .notConnected(let problem): "no connection to the broker: \(problem)"
        case .busy: "too many viewers ask at once: try again"
        }
    }

    /// Whether a gateway that does not know the device refuses so: another may know it. Gateways that are gone, or have other partitions,
    /// answer nothing.
    fileprivate var isOfAnyGateway: Bool {
        guard case .refused(let code, _, _) = self else { return false }
        return code == "unknownDevice" || code == "tooMany"
    }

    /// The status code of the answer.
    var status: Int {
        switch self {
        case .refused(let reason, _, _): reason == "unknownDevice" ? 404 : 409
        case .noAnswer: 504
        case .notConnected, .busy: 503
        }
    }
}
