internal import GatewayPipeline

/// Finds the key that was probably meant.
package enum NearestKey {
    /// The most characters of a key that are compared: a comparison costs the product of two lengths.
    private static let mostCharacters = 100

    /// `; did you mean …?` with the candidate nearest to a key, or nothing if none is near.
    ///
    /// A candidate whose last level is the key itself counts as near: the key was written in the wrong section.
    package static func hint(for key: String, in candidates: some Sequence<String>) -> String {
        guard key.utf8.count <= mostCharacters else { return "" }
        let wanted = key.lowercased()
        let scored = candidates.map { candidate in
            let text = candidate.lowercased()
            let misplaced = text.split(separator: ".").last == wanted.split(separator: ".").last
            return (candidate: candidate, distance: misplaced ? 1 : wanted.editDistance(to: Array(text)))
        }
        guard
            let best = scored.min(by: {
                ($0.distance, $0.candidate.count, $0.candidate) < ($1.distance, $1.candidate.count, $1.candidate)
            }),
            best.distance <= max(2, wanted.count / 5), best.distance * 2 < wanted.count
        else { return "" }
        return "; did you mean \(best.candidate)?"
    }
}
