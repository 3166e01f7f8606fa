import TelemetryModel

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
                        device: device, event: DerivedEvent(time: gap.to, body: gap), source: nil, received: now.unix))
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
