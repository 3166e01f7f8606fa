import FleetPage
import Foundation
import Synchronization

/// A gateway that answers requests at once, or never; its clock stands still but for what is slept.
final class StandIn: Sendable {
    /// A request.
    struct Asked: @unchecked Sendable {
        var topic: String
        var body: [String: Any]
        var at: Double
    }

    private struct Contents {
        var requests: PageRequests?
        var asked: [Asked] = []
        var now = 1_000.0
    }

    private let contents = Mutex(Contents())
    private let replies: Int

    /// What was asked, in order.
    var asked: [Asked] { contents.withLock { $0.asked } }
    /// What asks it.
    var requests: PageRequests {
        guard let requests = contents.withLock({ $0.requests }) else { preconditionFailure("made in init") }
        return requests
    }

    /// A gateway with answers by the body of a request, each given so many times; without an answer nobody waits longer than
    /// a request's time.
    init(gateways: Int = 1, perSecond: Double = 5, answer: @escaping @Sendable (Asked) -> String? = { _ in nil }) {
        replies = gateways
        let port = PageRequests.Port(
            publish: { [weak self] topic, payload in self?.take(topic, payload, answer) },
            monotonic: { [weak self] in self?.contents.withLock { $0.now } ?? 0 },
            sleep: { [weak self] seconds in
                // A pause passes at once; the longer time of an answer only where there is none.
                if seconds >= 5, await self?.isAnswering(answer) == true { try await Task.sleep(for: .seconds(3_600)) }
                self?.contents.withLock { $0.now += seconds }
            })
        let requests = PageRequests(root: "wearables", user: "page", perSecond: perSecond, run: "run", port: port)
        requests.note(brokerProblem: nil, gateways: gateways)
        contents.withLock { $0.requests = requests }
    }

    private func isAnswering(_ answer: (Asked) -> String?) async -> Bool { answer(Asked(topic: "", body: [:], at: 0)) != nil }

    private func take(_ topic: String, _ payload: [UInt8], _ answer: (Asked) -> String?) {
        let body = parsed(payload) ?? [:]
        let asked = contents.withLock { contents in
            let asked = Asked(topic: topic, body: body, at: contents.now)
            contents.asked.append(asked)
            return asked
        }
        guard let reply = body["reply"] as? String, let text = answer(asked) else { return }
        for _ in 0..<replies { _ = requests.receive(topic: "fathom/pool/reply/\(reply)", payload: Array(text.utf8)) }
    }
}
