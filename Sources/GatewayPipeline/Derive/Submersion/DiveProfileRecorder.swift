package import TelemetryModel

/// Collects the profile of a stay under water in at most 256 values: the deepest depth of each interval, which starts at 1 s and
/// doubles whenever the values are full.
package struct DiveProfileRecorder: Sendable, Equatable {
    private static let capacity = 256

    private enum Value: Sendable, Equatable {
        case empty
        case depth(Double)
        case withheld

        /// The value of an interval that holds this one and `other`.
        func joined(_ other: Value) -> Value {
            switch (self, other) {
            case (.withheld, _), (_, .withheld): .withheld
            case (.empty, let value), (let value, .empty): value
            case (.depth(let left), .depth(let right)): .depth(max(left, right))
            }
        }
    }

    private let start: DeviceTime
    private var interval = 1.0
    private var values: [Value] = []

    /// The profile of a stay that began at `start`.
    package init(start: DeviceTime) { self.start = start }

    /// Adds an accepted depth in m.
    package mutating func measure(_ depth: Double, at time: DeviceTime) { add(.depth(depth), at: time) }

    /// Adds a time at which depth was withheld.
    package mutating func withhold(at time: DeviceTime) { add(.withheld, at: time) }

    /// Adds the values of a later stay.
    package mutating func join(_ next: Self) {
        for (index, value) in next.values.enumerated() where value != .empty {
            add(value, at: next.start + Double(index) * next.interval)
        }
    }

    /// The profile up to `end`.
    package func profile(until end: DeviceTime) -> DiveProfile {
        let count = min(values.count, Int(((end - start) / interval).rounded(.down)) + 1)
        return DiveProfile(
            interval: interval,
            depth: values.prefix(max(0, count)).map { if case .depth(let depth) = $0 { depth } else { nil } })
    }

    private mutating func add(_ value: Value, at time: DeviceTime) {
        let seconds = max(0, time - start)
        while seconds >= interval * Double(Self.capacity) { halve() }
        let index = Int(seconds / interval)
        while values.count <= index { values.append(.empty) }
        values[index] = values[index].joined(value)
    }

    private mutating func halve() {
        interval *= 2
        values = stride(from: 0, to: values.count, by: 2).map { index in
            index + 1 < values.count ? values[index].joined(values[index + 1]) : values[index]
        }
    }
}

/// Values are stored as numbers: a profile is part of every checkpoint of a device under water.
extension DiveProfileRecorder: Codable {
    private enum CodingKeys: String, CodingKey {
        case start, interval, values
    }

    /// What stands for values without a depth; depths are 0 or more.
    private static let withheld = -1.0
    private static let empty = -2.0

    /// Reads the profile.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        start = try container.decode(DeviceTime.self, forKey: .start)
        interval = try container.decode(Double.self, forKey: .interval)
        values = try container.decode([Double].self, forKey: .values).map { number in
            number == Self.empty ? .empty : number == Self.withheld ? .withheld : .depth(number)
        }
    }

    /// Writes the profile.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(start, forKey: .start)
        try container.encode(interval, forKey: .interval)
        let numbers = values.map { value in
            switch value {
            case .empty: Self.empty
            case .depth(let depth): depth
            case .withheld: Self.withheld
            }
        }
        try container.encode(numbers, forKey: .values)
    }
}
