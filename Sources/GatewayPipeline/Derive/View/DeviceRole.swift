import TelemetryModel

/// What a device is used for, as far as its messages show.
package struct DeviceRole: Sendable, Hashable {
    /// The name, which the page's filter finds.
    package let name: String
    /// One character for it.
    package let icon: String
    /// What a line says before the first message; nil where nothing is expected.
    package let waiting: String?
    /// Whether its messages report on minutes to days, while the device may be used for something else. Reports hold until a later one.
    package let isReported: Bool

    /// A role.
    package init(_ name: String, icon: String, waiting: String? = nil, isReported: Bool = false) {
        self.name = name
        self.icon = icon
        self.waiting = waiting
        self.isReported = isReported
    }

    /// Not known, or one without a picture.
    package static let other = DeviceRole("other", icon: "·")
    /// Headphones.
    package static let head = DeviceRole("head", icon: "♪")
    /// A watch under water.
    package static let water = DeviceRole("water", icon: "≈")
    /// A watch on a swinging arm.
    package static let bat = DeviceRole("bat", icon: "◆", waiting: "waiting for a swing")
    /// Somebody who walks or runs.
    package static let run = DeviceRole("run", icon: "▸")
    /// Somebody who trains.
    package static let exercise = DeviceRole("exercise", icon: "▮")
    /// A watch that records its wearer's days and nights.
    package static let night = DeviceRole("night", icon: "☾", isReported: true)
    /// A watch that measures its wearer's tremor.
    package static let tremor = DeviceRole("tremor", icon: "∿", isReported: true)

    /// The role of a device of which only a stream is known: that of the first derivation from it which has one.
    package static func of(stream: String) -> DeviceRole { byStream[stream] ?? .other }

    private static let byStream: [String: DeviceRole] = {
        let roles = Derivations.declarations.compactMap { declaration -> (String, DeviceRole)? in
            guard let stream = declaration.homeStreams.first, !stream.concernsAllStreams else { return nil }
            let roles = declaration.kinds.map { KindDescription(of: $0).view.role }
            return roles.first { $0 != .other }.map { (stream.rawValue, $0) }
        }
        return Dictionary(roles) { first, _ in first }
    }()
}

/// A column of the page's table.
package struct ViewColumn: Sendable, Hashable {
    /// Its name for programs.
    package let name: String
    /// Its heading.
    package let title: String
    /// What it holds, where the heading needs words.
    package let hint: String?
    /// Whether it is aligned as numbers are.
    package let isNumber: Bool
    /// Where it stands: columns are in the order of their places.
    package let place: Int

    /// A column; after all others where no place is given.
    package init(_ name: String, _ title: String, hint: String? = nil, isNumber: Bool = false, place: Int = 100) {
        self.name = name
        self.title = title
        self.hint = hint
        self.isNumber = isNumber
        self.place = place
    }
}
