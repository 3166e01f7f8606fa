import Metrics
import Synchronization

/// Counts answered HTTP requests by path and status code, both from closed lists.
package final class RequestCounts: Sendable {
    private struct Key: Hashable {
        var path: String
        var code: Int
    }

    private static let keys = [
        Key(path: "/metrics", code: 200), Key(path: "/healthz", code: 200), Key(path: "/healthz", code: 503),
        Key(path: "/readyz", code: 200), Key(path: "/readyz", code: 503), Key(path: "other", code: 404),
    ]
    private let counts = Mutex(Dictionary(uniqueKeysWithValues: keys.map { ($0, 0) }))

    /// Counts one answer. A path or code that is not in the lists is not counted.
    func note(_ path: String, _ code: Int) {
        let key = Key(path: path, code: code)
        counts.withLock { counts in
            guard let count = counts[key] else { return }
            counts[key] = count + 1
        }
    }

    /// A sample for each pair.
    var samples: [MetricsText.Sample] {
        let counts = counts.withLock { $0 }
        return Self.keys.map { .init(counts[$0] ?? 0, ("path", $0.path), ("code", String($0.code))) }
    }
}
