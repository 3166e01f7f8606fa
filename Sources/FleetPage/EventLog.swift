/// The latest events of the page with their ids, from which a viewer that lost its connection continues.
struct EventLog: Sendable {
    /// An event as it is sent.
    struct Entry: Sendable {
        var id: UInt64
        var bytes: [UInt8]
    }

    private let mostEvents: Int
    private let mostBytes: Int
    private var entries: [Entry] = []
    private var bytes = 0

    /// The id of the last event.
    private(set) var lastID: UInt64

    /// `firstID` must be above every id of an earlier run.
    init(firstID: UInt64, mostEvents: Int = 128, mostBytes: Int = 4_194_304) {
        lastID = firstID
        self.mostEvents = mostEvents
        self.mostBytes = mostBytes
    }

    /// The id of the next event.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Appends the event that took the last id.
    mutating func append(_ event: [UInt8]) {
        entries.append(Entry(id: lastID, bytes: event))
        bytes += event.count
        while entries.count > mostEvents || bytes > mostBytes, !entries.isEmpty { bytes -= entries.removeFirst().bytes.count }
    }

    /// The events after `id`; nil where they are not all kept.
    func events(after id: UInt64) -> [[UInt8]]? {
        if id == lastID { return [] }
        guard let first = entries.first, id < lastID, id >= first.id - 1 else { return nil }
        return entries.filter { $0.id > id }.map(\.bytes)
    }
}
