import WearableFrames

/// The kinds of devices that can be simulated.
package enum DeviceKind: String, Sendable, Hashable, CaseIterable {
    /// AirPods connected to a phone.
    case headphones
    /// A watch on a batter's wrist.
    case batter
    /// A watch under water with the depth entitlement of 6 m.
    case diver
    /// A watch under water without an entitlement.
    case watch
    /// A phone that a runner carries.
    case runner
    /// A watch on the wrist of somebody who lifts weights.
    case lifter
    /// A watch on a boxer's wrist.
    case boxer
    /// A watch on the wrist of somebody who goes through poses.
    case yogi
    /// Headphones on somebody who does push-ups.
    case athlete
    /// A watch that was worn in the night before.
    case sleeper

    /// What the ids of such devices start with.
    package var idPrefix: String {
        switch self {
        case .headphones: "pods"
        case .diver: "ultra"
        default: rawValue
        }
    }

    /// The earliest start, unix seconds, from which on frames hold all that a device sends: dates of steps and of recorded
    /// samples are of 2001 at the earliest, and a sleeper sends those of the night before.
    package var earliestStart: Double {
        switch self {
        case .runner: TimeRule.wallClock.lowerBound
        case .sleeper: TimeRule.wallClock.lowerBound + 2 * 86_400
        default: 0
        }
    }

    /// Reads kinds separated by commas, `headphones,batter`; one may come more than once.
    package static func list(_ text: String) throws(FleetError) -> [DeviceKind] {
        var kinds: [DeviceKind] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = word.drop { $0 == " " }.prefix { $0 != " " }
            guard let kind = DeviceKind(rawValue: String(name)) else { throw FleetError.unknownKind(String(word)) }
            kinds.append(kind)
        }
        return kinds
    }

    /// Creates a device of this kind that repeats typical activity.
    package func device(_ origin: DeviceOrigin) -> any SimulatedDevice {
        switch self {
        case .headphones:
            var options = HeadphoneOptions.demo
            options.cycle = 40
            return Headphones(origin, options: options)
        case .batter: return Batter(origin)
        case .lifter: return Lifter(origin)
        case .boxer: return Boxer(origin)
        case .yogi: return Yogi(origin)
        case .diver, .watch:
            var options = self == .diver ? DiverOptions.shallow : .unentitled
            options.profile.cycle = 40
            return Diver(origin, options: options)
        case .runner: return Runner(origin)
        case .athlete: return Athlete(origin)
        case .sleeper: return Sleeper(origin)
        }
    }
}

/// Why a fleet cannot be created as requested.
package enum FleetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A word that names no kind of device.
    case unknownKind(String)

    /// The problem and what would be right, in a sentence.
    package var description: String {
        switch self {
        case .unknownKind(let word):
            "'\(word)' is no kind of device; the kinds are \(DeviceKind.allCases.map(\.rawValue).joined(separator: ", "))"
        }
    }
}
