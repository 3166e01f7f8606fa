/// The names of a document, numbered as they first appear.
struct KeyTable {
    /// The names by number.
    private(set) var names: [String] = []
    private var indices: [String: Int] = [:]
    /// What last came after each name: values of one type give their keys in one order.
    private var successors: [Int] = []
    private var latest = 0

    /// No names yet, and room for as many as a few types have.
    init() { indices.reserveCapacity(180) }

    /// The number of `name`.
    mutating func index(of name: String) -> Int {
        if latest < successors.count {
            let guess = successors[latest]
            if names[guess] == name {
                latest = guess
                return guess
            }
        }
        let index = indices[name] ?? add(name)
        successors[latest] = index
        latest = index
        return index
    }

    private mutating func add(_ name: String) -> Int {
        let index = names.count
        names.append(name)
        indices[name] = index
        successors.append(0)
        return index
    }
}
