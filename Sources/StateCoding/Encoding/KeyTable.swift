/// The names of a document, numbered as they first appear in it.
///
/// Names are kept from one document to the next: documents of one type give their names in one order, so that most are found
/// without a search.
struct KeyTable {
    /// More names than this are not kept: keys of dictionaries may be any text.
    private static let kept = 1024

    private struct Entry {
        var name: String
        /// The number in the present document; -1 where it has not appeared.
        var number = -1
        /// The entry that last came after this one.
        var successor = 0
    }

    private var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    private var latest = 0
    /// The entries of the present document in the order of their numbers.
    private var used: [Int] = []

    /// The number of names in the document.
    var count: Int { used.count }

    /// The names of the document by number.
    var names: [String] { used.map { entries[$0].name } }

    /// Calls `body` with each name of the document, by number.
    func forEachName(_ body: (String) -> Void) {
        for index in used { body(entries[index].name) }
    }

    /// Begins another document.
    mutating func reset() {
        if entries.count > Self.kept { self = KeyTable() }
        for index in used { entries[index].number = -1 }
        used.removeAll(keepingCapacity: true)
        latest = 0
    }

    /// The number of `name`.
    mutating func number(of name: String) -> Int {
        let index = index(of: name)
        latest = index
        if entries[index].number < 0 {
            entries[index].number = used.count
            used.append(index)
        }
        return entries[index].number
    }

    private mutating func index(of name: String) -> Int {
        guard latest < entries.count else { return add(name) }
        let guess = entries[latest].successor
        if entries[guess].name == name { return guess }
        let index = indices[name] ?? add(name)
        entries[latest].successor = index
        return index
    }

    private mutating func add(_ name: String) -> Int {
        entries.append(Entry(name: name))
        indices[name] = entries.count - 1
        return entries.count - 1
    }
}
