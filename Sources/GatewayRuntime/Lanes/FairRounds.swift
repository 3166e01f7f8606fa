/// The elements of a batch in rounds: the first of each owner, then the second of each that has one, and so on. Each owner's keep their order.
struct FairRounds<Element> {
    private(set) var rounds: [[Element]] = []

    /// The rounds of `elements`, whose owners `owner` names.
    init<Owner: Hashable>(_ elements: [Element], by owner: (Element) -> Owner) {
        guard elements.count > 1 else {
            rounds = elements.map { [$0] }
            return
        }
        var counts: [Owner: Int] = [:]
        for element in elements {
            let round = counts[owner(element), default: 0]
            counts[owner(element)] = round + 1
            if round == rounds.count { rounds.append([]) }
            rounds[round].append(element)
        }
        join()
    }

    /// Joins rounds of the same owners: between them nobody is done.
    private mutating func join() {
        var joined: [[Element]] = []
        var size = 0
        for round in rounds {
            if round.count == size {
                joined[joined.count - 1] += round
            } else {
                size = round.count
                joined.append(round)
            }
        }
        rounds = joined
    }
}
