package import TelemetryModel

/// A row of a lane's file that cannot be read, and is set aside.
package struct DamagedRow: Sendable, Equatable {
    /// What it was a row of.
    package enum Source: String, Sendable, CaseIterable {
        /// A part of a device's state, or a frame that waits; `name` is the part's.
        case state
        /// Frames that lead from a stored state to a later one.
        case journal
        /// A minute of recorded acceleration; `name` is its number.
        case history
        /// A message for the query `events`; `name` is its kind.
        case events
        /// A message that a replay has led to; `name` is its kind.
        case debt
    }

    /// Its number in the file.
    package let number: Int64
    /// What it was a row of.
    package let source: Source
    /// Whose it is.
    package let device: DeviceID
    /// What it was called there.
    package let name: String
    /// The first instant of what it held; of a state, when the file was last written before it was found.
    package let from: UnixTime
    /// The last instant of that.
    package let to: UnixTime
    /// How many samples it held; 0 where that is not known.
    package let count: Int

    /// A row that was read.
    package init(
        number: Int64, source: Source, device: DeviceID, name: String, from: UnixTime, to: UnixTime, count: Int
    ) {
        self.number = number
        self.source = source
        self.device = device
        self.name = name
        self.from = from
        self.to = to
        self.count = count
    }
}

/// Tells which stored messages can be read: they have no checksum. It keeps its parser, and must not be shared between threads.
package struct StoredEventReader {
    private static let deepestNesting = 16
    private let parser = JSONParser()

    /// A reader.
    package init() {}

    /// Whether the payload of `event` is JSON with its id and kind.
    package func canRead(_ event: StoredEvent) -> Bool {
        guard let root = try? parser.parse(event.payload, maximumNesting: Self.deepestNesting), root.kind == .object else {
            return false
        }
        return (try? root.optional("id")?.string()) == event.id && (try? root.optional("kind")?.string()) == event.kind
    }
}
