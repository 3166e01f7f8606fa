package import TelemetryModel

/// The last four boots of a device, the current one last.
package struct BootHistory: Sendable, Equatable, Codable {
    /// How a frame's boot stands to the ones seen before.
    package enum Standing: Sendable, Equatable {
        /// The boot that the device is in.
        case current
        /// A boot that the device has left: the frame is late.
        case earlier
        /// Never seen.
        case new
    }

    /// Stands for a boot while only others have spoken of the device: its own, whichever it is, takes over from it.
    package static let presence: BootID = {
        guard let presence = BootID("presence") else { preconditionFailure("'presence' is an identifier") }
        return presence
    }()

    private static let remembered = 4
    private var boots: [BootID] = []

    /// No boot seen yet.
    package init() {}

    /// The boot that the device is in, as far as is known.
    package var current: BootID? { boots.last }

    /// Whether nothing but somebody else's word is known of the device.
    package var isOfPresence: Bool { current == Self.presence }

    /// How `boot` stands to the ones seen before; one that is never seen but `isFromBefore` the current one is earlier.
    package func standing(of boot: BootID, isFromBefore: Bool) -> Standing {
        guard let current else { return .new }
        if boot == current { return .current }
        if isOfPresence { return .new }
        return isFromBefore || boots.contains(boot) ? .earlier : .new
    }

    /// Makes `boot` the current one.
    package mutating func enter(_ boot: BootID) {
        if isOfPresence { boots.removeLast() }
        boots.append(boot)
        if boots.count > Self.remembered { boots.removeFirst() }
    }
}
