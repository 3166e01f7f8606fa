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

extension Pipeline {
    /// The gaps of rows that cannot be read. The same rows give the same messages.
    package mutating func report(_ rows: [DamagedRow], at now: GatewayTime) -> [OutboundMessage] {
        published { pipeline in
            for (device, rows) in Dictionary(grouping: rows, by: \.device).sorted(by: { $0.key < $1.key }) {
                pipeline.turn(device, at: now) { $0.report(rows) }
            }
        }
    }
}

extension DeviceTurn {
    fileprivate func report(_ rows: [DamagedRow]) {
        var reported: [Gap] = []
        for row in rows {
            for stream in streams(of: row).sorted(by: { $0.rawValue < $1.rawValue }) where owns(stream) {
                let gap = Gap(
                    stream: stream, unit: row.source == .history ? .samples : .frames, expected: row.count, received: 0,
                    from: DeviceTime(row.from.seconds), to: DeviceTime(row.to.seconds), cause: .damaged)
                guard !reported.contains(gap) else { continue }
                reported.append(gap)
                send(
                    DerivedMessage(
                        device: device, event: DerivedEvent(time: gap.to, body: gap), source: nil, offset: 0, skew: nil,
                        received: now.unix))
            }
        }
    }

    /// The streams of which something is missing with a row. Places of frames that waited or were journaled are missed by their `seq`, and
    /// last messages and decisions are no part of a stream.
    private func streams(of row: DamagedRow) -> Set<StreamName> {
        switch row.source {
        case .journal: return []
        case .history: return [.recordedAccelerometer]
        case .events, .debt:
            return known(Derivations.declarations.filter { $0.publishes(row.name) }.flatMap(\.streams))
        case .state:
            let name = row.name.hasPrefix("displaced/") ? String(row.name.dropFirst("displaced/".count)) : row.name
            switch name {
            case "state", DeviceState.Part.intake, DeviceState.Part.frames, DeviceState.Part.displaced: return knownStreams
            case DeviceState.Part.history: return [.recordedAccelerometer]
            default:
                let declarations = Derivations.declarations.filter { DeviceState.Part.derive + $0.name == name }
                return known(declarations.flatMap(\.streams))
            }
        }
    }

    private func known(_ streams: [StreamName]) -> Set<StreamName> { knownStreams.intersection(streams) }

    /// The streams that the device is known to have, by what is left of its state.
    private var knownStreams: Set<StreamName> {
        let access = "access/"
        let decided = slot.state.retained.kinds.filter { $0.hasPrefix(access) }
            .compactMap { StreamName(rawValue: String($0.dropFirst(access.count))) }
        return Set(slot.state.decisions.keys).union(slot.state.boot.histories.keys).union(decided)
            .filter { !$0.concernsAllStreams }
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
